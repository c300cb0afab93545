import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { ratePolicies } from '../../../api/http/rate-limit/rate-policy.ts';
import { eventually } from '../../support/eventually.ts';
import { runSeed, type SeededRandom, seededRandom } from '../../support/seeded-random.ts';
import { openTestApi, type TestApi } from '../../support/test-api.ts';
import { requestText } from '../../support/wire.ts';

const HOST = ['Host', 'upsilon.test'];
const REFUSED = requestText('GET', '/api/v1/leaderboard', HOST);
const REFUSED_BODY = `${requestText('POST', '/api/v1/snapshots', [...HOST, 'Content-Length', '2'])}{}`;
const SERVED = requestText('GET', '/health/live', HOST);

/** Refusals in a row after which a connection surely waits for its turn. */
const STREAK = 70;

/** A connection that counts the responses it gets. */
class Client {
  readonly socket: Socket;
  readonly closed: Promise<unknown>;
  sent = 0;
  received = 0;

  constructor({ origin }: TestApi) {
    this.socket = connect(Number(new URL(origin).port), '127.0.0.1').setEncoding('latin1');
    this.closed = once(this.socket, 'close');
    let end = '';
    this.socket.on('data', (chunk) => {
      const text = end + String(chunk);
      this.received += text.match(/HTTP\/1\.1 \d{3} /g)?.length ?? 0;
      // Two chunks may share the beginning of a response, which has 13 characters.
      end = text.slice(-12);
    });
  }

  send(...requests: readonly string[]): void {
    this.sent += requests.length;
    this.socket.write(requests.join(''));
  }

  /** Waits for all responses. */
  async rest(): Promise<void> {
    while (this.received < this.sent) await once(this.socket, 'data');
  }
}

/** Calls `look` in each turn of the event loop until the clients have all responses. */
async function eachTurn(clients: readonly Client[], look: () => void): Promise<void> {
  const responses = Promise.all(clients.map((client) => client.rest())).then(() => true);
  while (!(await Promise.race([responses, turn(false)]))) look();
}

/** Sends allowed requests one after another, until `end` is called. */
function sendServed(test: TestApi) {
  const client = new Client(test);
  const ending = new AbortController();
  const running = (async () => {
    while (!ending.signal.aborted) {
      client.send(SERVED);
      await client.rest();
    }
  })();
  return {
    async end(): Promise<void> {
      ending.abort();
      await running;
      client.socket.destroy();
    },
  };
}

/** An api that refuses every request that counts. */
const open = () => openTestApi({ settings: { rates: ratePolicies({ quota: 0, windowMs: 60_000 }) } });

describe('api: connections of a flood', () => {
  let test: TestApi;

  beforeEach(async () => {
    test = await open();
  });

  afterEach(() => test[Symbol.asyncDispose]());

  const waiting = (): number => test.api.ctx.turns.waiting();

  /** Opens connections on which only refusals were sent. */
  async function flood(count: number): Promise<Client[]> {
    const clients = Array.from({ length: count }, () => new Client(test));
    for (const client of clients) client.send(...Array.from({ length: STREAK }, () => REFUSED));
    await Promise.all(clients.map((client) => client.rest()));
    return clients;
  }

  /** Sends four requests on each connection at once. Returns the most refusals of one turn of the event loop. */
  async function burst(clients: readonly Client[]): Promise<number> {
    let most = 0;
    const { refusals } = test.api;
    for (const client of clients) client.send(REFUSED, REFUSED, REFUSED, REFUSED);
    let before = refusals.served();
    await eachTurn(clients, () => {
      const after = refusals.served();
      most = Math.max(most, after - before);
      before = after;
    });
    return most;
  }

  it('are read round-robin while other requests are served, and at once otherwise', async () => {
    const count = 16;
    const served = sendServed(test);
    const clients = await flood(count);
    const most = await eventually('a burst of which most requests wait', async () => {
      const read = count - waiting();
      const refused = await burst(clients);
      return read <= 3 && { read, refused };
    });
    // Of those that were read already, and of one that a turn begins with.
    expect(most.refused).to.be.at.most((most.read + 1) * 4);
    await served.end();
    await eventually('no connection that waits', () => waiting() === 0);
    expect(await burst(clients)).to.be.greaterThan(0);
    expect(waiting()).to.equal(0);
    for (const { socket } of clients) socket.destroy();
  });

  it('do not include those on which others are served', async () => {
    const clients = Array.from({ length: 4 }, () => new Client(test));
    const requests = [...Array.from({ length: 20 }, () => REFUSED), SERVED];
    let most = 0;
    for (let round = 0; round < 10; round++) {
      for (const client of clients) client.send(...requests);
      await eachTurn(clients, () => {
        most = Math.max(most, waiting());
      });
    }
    expect(most).to.equal(0);
    for (const { socket } of clients) socket.destroy();
  });

  it('are all read again when they are silent, although others are served', async () => {
    const served = sendServed(test);
    const clients = await flood(8);
    await served.end();
    const { turns } = test.api.ctx;
    const until = performance.now() + 20_000;
    while (waiting() > 0 && performance.now() < until) {
      turns.served(clients[0]!.socket);
      await turn();
    }
    expect(waiting()).to.equal(0);
    for (const { socket } of clients) socket.destroy();
  });

  for (let run = 0; run < 5; run++) {
    const seed = runSeed() + run;
    it(`get a response to every request, whatever becomes of other connections (seed ${seed})`, async () => {
      const random = seededRandom(seed);
      const served = sendServed(test);
      const clients = await flood(12);
      for (let step = 0; step < 80; step++) {
        const index = random.integer(0, clients.length - 1);
        const client = clients[index]!;
        if (await leaves(client, random)) clients[index] = new Client(test);
        if (random.next() < 0.3) await turn();
        if (random.next() < 0.1) await clients[index]!.rest();
      }
      await Promise.all(clients.map((client) => client.rest()));
      for (const { socket } of clients) socket.destroy();
      await served.end();
      await eventually('no connection that waits', () => waiting() === 0);
    });
  }

  it('get a response to a request that waits when the api closes', async () => {
    const served = sendServed(test);
    const clients = await flood(12);
    await eventually('connections that wait', async () => {
      await burst(clients);
      return waiting() >= 8;
    });
    for (const client of clients) client.send(REFUSED);
    await served.end();
    const closed = test[Symbol.asyncDispose]();
    await Promise.all(clients.map(({ closed: end }) => end));
    await closed;
    test = await open();
    expect(clients.map(({ sent, received }) => sent - received)).to.deep.equal(clients.map(() => 0));
  });
});

/** Sends something. Returns whether the connection is of no use after it; all that it was sent has a response unless it broke. */
async function leaves(client: Client, random: SeededRandom): Promise<boolean> {
  const requests = Array.from({ length: random.integer(1, 6) }, () =>
    random.pick([REFUSED, REFUSED, REFUSED, REFUSED_BODY, SERVED]),
  );
  const kind = random.pick(['continue', 'continue', 'continue', 'continue', 'halves', 'last', 'half close', 'abort']);
  if (kind === 'halves') {
    const text = requests.join('');
    client.sent += requests.length;
    client.socket.write(text.slice(0, 50));
    await turn();
    client.socket.write(text.slice(50));
    return false;
  }
  if (kind === 'last') requests.push(requestText('GET', '/api/v1/leaderboard', [...HOST, 'Connection', 'close']));
  client.send(...requests);
  if (kind === 'continue') return false;
  if (kind === 'abort') {
    client.socket.destroy();
    return true;
  }
  if (kind === 'half close') client.socket.end();
  await client.closed;
  expect(client.received).to.equal(client.sent);
  return true;
}

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { z } from 'zod';
import type { Asked } from '../../../support/children/subscriptions-child.ts';
import { eventually } from '../../../support/eventually.ts';
import { runsOf } from '../../../support/long-run.ts';
import { requestText } from '../../../support/wire.ts';

/** As many as one process takes; few in `npm test`, where no figure is compared. */
const SUBSCRIPTIONS = runsOf(100, 5_000, 'EVENT_SUBSCRIPTIONS');
const IS_MEASURED = SUBSCRIPTIONS >= 5_000;
const FRAMES = IS_MEASURED ? 15 : 2;
const READS = IS_MEASURED ? 2_000 : 50;
const CHILD = fileURLToPath(new URL('../../../support/children/subscriptions-child.ts', import.meta.url));
const BOARD = requestText('GET', '/api/v1/leaderboard?limit=10', ['Host', 'upsilon.test']);

const Answer = z.object({
  id: z.number(),
  port: z.number().optional(),
  cpu: z.number().optional(),
  heap: z.number().optional(),
  rss: z.number().optional(),
});

/** A server in a process of its own. */
async function serve(kind: 'api' | 'bare') {
  const child: ChildProcess = fork(CHILD, [kind], { execArgv: ['--expose-gc', '--import', 'tsx'] });
  const waiting = new Map<number, (answer: z.output<typeof Answer>) => void>();
  let asked = 0;
  const ready = new Promise<z.output<typeof Answer>>((resolve) => waiting.set(0, resolve));
  child.on('message', (message) => {
    const answer = Answer.parse(message);
    waiting.get(answer.id)?.(answer);
  });
  const { port = 0 } = await ready;
  const ask = (what: Asked['what'], bytes?: string): Promise<z.output<typeof Answer>> => {
    asked += 1;
    const answered = new Promise<z.output<typeof Answer>>((resolve) => waiting.set(asked, resolve));
    child.send({ id: asked, what, bytes });
    return answered;
  };
  return {
    port,
    ask,
    async close(): Promise<void> {
      await ask('close');
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

type Served = Awaited<ReturnType<typeof serve>>;

/** Subscribers, each from another address of this machine, that count what they receive. */
async function subscribeAll(port: number, count: number) {
  const sockets: Socket[] = [];
  let [received, last] = [0, ''];
  for (let from = 0; from < count; from += 250) {
    const opened = Array.from({ length: Math.min(250, count - from) }, async (_, index) => {
      const number = from + index + 2;
      const localAddress = `127.${1 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      sockets.push(socket);
      socket.write(requestText('GET', '/api/v1/events', ['Host', 'upsilon.test']));
      await once(socket, 'data');
      socket.on('data', (bytes) => {
        received += bytes.length;
        if (socket === sockets[0]) last += bytes.toString('utf8');
      });
    });
    await Promise.all(opened);
  }
  return {
    received: () => received,
    /** What one of them received since it was last asked for. */
    taken(): string {
      const text = last;
      last = '';
      return text;
    },
    close: () => sockets.forEach((socket) => socket.destroy()),
  };
}

/** Waits until nothing more arrives. */
async function settled(received: () => number): Promise<number> {
  let before = -1;
  await eventually('quiet', () => {
    const isQuiet = received() === before;
    before = received();
    return isQuiet;
  });
  return before;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** Memory of a subscription in bytes, and the microseconds of processor time of a frame, of a server. */
async function measure(served: Served, frame: string) {
  const before = await served.ask('memory');
  const all = await subscribeAll(served.port, SUBSCRIPTIONS);
  await settled(all.received);
  const held = await served.ask('memory');
  const times: number[] = [];
  let text = '';
  for (let index = 0; index < FRAMES; index += 1) {
    await served.ask('change');
    await settled(all.received);
    all.taken();
    const started = all.received();
    const { cpu = 0 } = await served.ask('cpu');
    await served.ask('frame', frame);
    await eventually('the frame', () => all.received() > started, 5_000);
    const bytes = (await settled(all.received)) - started;
    times.push((await served.ask('cpu')).cpu! - cpu);
    text = all.taken();
    expect(bytes / SUBSCRIPTIONS, 'bytes of a frame to each').to.be.closeTo(Buffer.byteLength(text), 16);
  }
  const per = (kind: 'heap' | 'rss'): number => Math.round((held[kind]! - before[kind]!) / SUBSCRIPTIONS);
  return { heap: per('heap'), rss: per('rss'), cpu: median(times), text, all };
}

/** The 99th percentile of the time of a read of the board, in milliseconds; `during` is done again and again meanwhile. */
async function slowest(port: number, during: () => Promise<unknown>): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  const times: number[] = [];
  let isDone = false;
  const busy = (async () => {
    while (!isDone) await during();
  })();
  for (let read = 0; read < READS; read += 1) {
    const started = performance.now();
    socket.write(BOARD);
    await once(socket, 'data');
    times.push(performance.now() - started);
  }
  isDone = true;
  await busy;
  socket.destroy();
  return times.toSorted((a, b) => a - b)[Math.floor(READS * 0.99)]!;
}

describe('many subscriptions', function () {
  this.timeout(600_000);

  it(`of ${SUBSCRIPTIONS} addresses get each frame, and cost little more than node:http does`, async () => {
    const api = await serve('api');
    const ours = await measure(api, '');
    const frame = /id: [^]*\n\n/.exec(ours.text)?.[0] ?? '';
    expect(frame).to.include('event: change');
    ours.all.close();
    await api.close();
    const bare = await serve('bare');
    const theirs = await measure(bare, frame);
    theirs.all.close();
    await bare.close();
    const ratios = { heap: ours.heap / theirs.heap, rss: ours.rss / theirs.rss, cpu: ours.cpu / theirs.cpu };
    const { text: _ours, all: _all, ...figures } = ours;
    const { text: _theirs, all: _others, ...bareFigures } = theirs;
    process.stdout.write(
      `\n  ${SUBSCRIPTIONS} subscriptions, frame of ${frame.length} bytes: ${JSON.stringify({ ours: figures, bare: bareFigures, ratios })}\n`,
    );
    if (!IS_MEASURED) return;
    expect(ratios.heap).to.be.at.most(1.5);
    expect(ratios.rss).to.be.at.most(1.5);
    expect(ratios.cpu).to.be.at.most(1.3);
  });
});
void slowest;

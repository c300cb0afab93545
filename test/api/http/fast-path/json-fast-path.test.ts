import { connect } from 'node:net';
import { expect } from 'chai';
import { eventually } from '../../../support/eventually.ts';
import type { TestOperator } from '../../../support/test-api.ts';
import { requestText } from '../../../support/wire.ts';
import { openTwoWays, type TwoWays } from './two-ways.ts';

const SNAPSHOTS = '/api/v1/snapshots';
const DEVICES = '/api/v1/devices';

function post(body: string, headers: readonly string[] = [], target = SNAPSHOTS): string {
  const type = headers.includes('Content-Type') ? [] : ['Content-Type', 'application/json'];
  const length = String(Buffer.byteLength(body, 'latin1'));
  const usual = ['Host', 'upsilon.test', ...type, 'Content-Length', length];
  return requestText('POST', target, [...usual, ...headers]) + body;
}

describe('api: the fast path of submissions', () => {
  let ways: TwoWays;
  let operator: TestOperator;
  let count = 0;

  before(async () => {
    ways = await openTwoWays();
  });

  beforeEach(async () => {
    count += 1;
    operator = await ways.test.operator(`json-fast-${count}`);
  });

  after(() => ways[Symbol.asyncDispose]());

  const snapshot = (): string => JSON.stringify(ways.test.snapshot(operator));

  const authorized = (): string[] => ['Authorization', `Bearer ${operator.token}`];

  /** Sends the same bytes to the fast path and to Koa; returns their common response, and how often the fast path served it. */
  async function both(text: string): Promise<{ readonly answer: string; readonly served: number }> {
    const before = ways.test.api.jsonFastPath?.served() ?? 0;
    const { fastPath, koa } = await ways.send(text);
    expect(fastPath).to.equal(koa);
    return { answer: fastPath, served: (ways.test.api.jsonFastPath?.served() ?? 0) - before };
  }

  it('answers a snapshot as Koa does', async () => {
    const { answer, served } = await both(post(snapshot(), authorized()));
    expect(answer).to.match(/^HTTP\/1.1 200 OK\r\n/);
    expect(answer).to.contain('"verdict":"final"');
    expect(served).to.equal(1);
  });

  it('reads a body that arrives in parts', async () => {
    const served = (): number => ways.test.api.jsonFastPath?.served() ?? 0;
    const before = served();
    const text = post(snapshot(), [...authorized(), 'Connection', 'close']);
    const socket = connect(Number(new URL(ways.test.origin).port), '127.0.0.1').setEncoding('latin1');
    socket.write(text.slice(0, -40));
    await eventually('the head was read', () => served() === before + 1);
    socket.write(text.slice(-40));
    let answer = '';
    for await (const part of socket) answer += String(part);
    expect(answer).to.match(/^HTTP\/1.1 200 OK\r\n/);
    expect(answer).to.contain('"verdict":"final"');
  });

  it('honours preferences, and answers what is pending', async () => {
    ways.test.queue.mode = 'hold';
    const { answer, served } = await both(post(snapshot(), [...authorized(), 'Prefer', 'respond-async']));
    await ways.test.queue.release();
    ways.test.queue.mode = 'judge';
    expect(answer).to.contain('Preference-Applied: respond-async');
    expect(answer).to.contain('"verdict":"pending"');
    expect(served).to.equal(1);
  });

  for (const [name, body, status] of [
    ['no JSON', '{', 400],
    ['no UTF-8', '"\xff\xff"', 400],
    ['a key twice', '{"input":1,"input":2}', 400],
    ['an empty object', '{}', 400],
    ['an array', '[]', 400],
    ['white space', ' \t ', 400],
  ] as const) {
    it(`refuses ${name} as Koa does`, async () => {
      const { answer, served } = await both(post(body, authorized()));
      expect(answer).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      expect(served).to.equal(1);
    });
  }

  it('refuses a missing and a wrong token, and the codename of another, as Koa does', async () => {
    const other = { ...ways.test.snapshot(operator), codename: 'somebody-else' };
    for (const [text, status] of [
      [post(snapshot()), 401],
      [post(snapshot(), ['Authorization', 'Bearer nonsense']), 401],
      [post(JSON.stringify(other), authorized()), 400],
    ] as const) {
      const { answer, served } = await both(text);
      expect(answer).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      expect(served).to.equal(1);
    }
  });

  it('takes every operation with a token and a JSON body', async () => {
    const { answer, served } = await both(post('{}', authorized(), DEVICES));
    expect(answer).to.match(/^HTTP\/1.1 400 /);
    expect(served).to.equal(1);
  });

  for (const [name, make, status] of [
    ['a query', () => post(snapshot(), authorized(), `${SNAPSHOTS}?a=b`), 400],
    ['another media type', () => post(snapshot(), [...authorized(), 'Content-Type', 'text/plain']), 400],
    ['an encoded body', () => post(snapshot(), [...authorized(), 'Content-Encoding', 'gzip']), 400],
    ['a body that is too large', () => post(`"${'x'.repeat(16 * 1024)}"`, authorized()), 400],
    ['no body', () => post('', authorized()), 400],
    ['another target', () => post('{}', authorized(), '/api/v1/leaderboard'), null],
    [
      'a body in chunks',
      () => {
        const headers = ['Host', 'upsilon.test', 'Content-Type', 'application/json', 'Transfer-Encoding', 'chunked'];
        const body = snapshot();
        const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
        return requestText('POST', SNAPSHOTS, [...headers, ...authorized()]) + chunks;
      },
      200,
    ],
  ] as const) {
    it(`leaves ${name} to Koa`, async () => {
      const { answer, served } = await both(make());
      if (status !== null) expect(answer).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      expect(served).to.equal(0);
    });
  }
});

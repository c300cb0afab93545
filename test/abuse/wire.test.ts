import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { openTestApi, type TestOperator } from '../support/test-api.ts';
import { useFixture } from '../support/use-fixture.ts';
import { overTheWire, requestText } from '../support/wire.ts';
import { createCaseTable } from './support/case-table.ts';

const HOST = ['Host', 'upsilon.test', 'Connection', 'close'];
const JSON_TYPE = ['Content-Type', 'application/json'];

/** Connections that never finish what they began. */
const SLOW_CLIENTS = 300;

/** A response's first line; it follows the previous body without a line break. */
const STATUS_LINE = /HTTP\/1\.1 (\d{3}) /g;

interface WireCase {
  readonly name: string;
  readonly bytes: (sender: TestOperator) => string;
  readonly statuses: readonly number[];
}

function post(sender: TestOperator, headers: readonly string[], body: string): string {
  const authorization = ['Authorization', `Bearer ${sender.token}`];
  return requestText('POST', '/api/v1/snapshots', [...HOST, ...authorization, ...headers]) + body;
}

function get(target: string, headers: readonly string[] = []): string {
  return requestText('GET', target, [...HOST, ...headers]);
}

/** A submission that is refused for its headers or its body. */
const malformed = (name: string, headers: readonly string[], body: string): WireCase => ({
  name,
  bytes: (sender) => post(sender, [...JSON_TYPE, ...headers], body),
  statuses: [400],
});

const CASES: readonly WireCase[] = [
  { name: 'bytes that are no request', bytes: () => '\u0000\u0001\u0002\r\n\r\n', statuses: [400] },
  { name: 'a TLS greeting', bytes: () => '\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n', statuses: [400] },
  { name: 'a version that is none', bytes: () => requestText('GET', '/', HOST, '9.9'), statuses: [400] },
  { name: 'no host', bytes: () => requestText('GET', '/api/v1/leaderboard', ['Connection', 'close']), statuses: [400] },
  { name: 'a header without a name', bytes: () => 'GET / HTTP/1.1\r\n: x\r\n\r\n', statuses: [400] },
  { name: 'a folded header', bytes: () => 'GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n', statuses: [400] },
  { name: 'white space before the colon', bytes: () => 'GET / HTTP/1.1\r\nHost : a\r\n\r\n', statuses: [400] },
  { name: 'headers larger than the limit', bytes: () => get('/', ['X-Large', 'x'.repeat(40_000)]), statuses: [400] },
  { name: 'an address larger than the limit', bytes: () => get(`/${'x'.repeat(40_000)}`), statuses: [400] },
  { name: 'a percent sign that escapes nothing', bytes: () => get('/api/v1/operators/%zz'), statuses: [400, 404] },
  { name: 'an escaped nul', bytes: () => get('/api/v1/operators/a%00b'), statuses: [404] },
  { name: 'escaped bytes that are no UTF-8', bytes: () => get('/api/v1/operators/%ff%fe'), statuses: [400, 404] },
  { name: 'dots behind a base', bytes: () => get('/api/v1/../../etc/passwd'), statuses: [404] },
  { name: 'escaped dots', bytes: () => get('/assets/%2e%2e%2f%2e%2e%2fpackage.json'), statuses: [404] },
  { name: 'a backslash path', bytes: () => get('/assets/..\\..\\package.json'), statuses: [404] },
  { name: 'an address of another host', bytes: () => get('http://attacker.example/api/v1/me'), statuses: [400] },
  { name: 'two hosts', bytes: () => get('/api/v1/leaderboard', ['Host', 'attacker.example']), statuses: [400] },
  { name: 'a host twice', bytes: () => get('/api/v1/leaderboard', ['hOST', 'upsilon.test']), statuses: [400] },
  { name: 'CONNECT', bytes: () => requestText('CONNECT', 'attacker.example:80', HOST), statuses: [] },
  malformed('a length and chunks at once', ['Content-Length', '5', 'Transfer-Encoding', 'chunked'], '0\r\n\r\n'),
  malformed('two lengths', ['Content-Length', '2', 'Content-Length', '9'], '{}'),
  malformed('a length below nothing', ['Content-Length', '-1'], '{}'),
  malformed('a chunk whose size is none', ['Transfer-Encoding', 'chunked'], 'zz\r\n{}\r\n0\r\n\r\n'),
  malformed('a chunk of endless size', ['Transfer-Encoding', 'chunked'], 'fffffffffffffffff\r\n{}'),
  malformed('a transfer coding that is not known', ['Transfer-Encoding', 'gzip'], 'x'),
  malformed(
    'chunks larger together than a body may be',
    ['Transfer-Encoding', 'chunked'],
    `8000\r\n${' '.repeat(0x8000)}\r\n0\r\n\r\n`,
  ),
  malformed('a body that is no UTF-8', ['Content-Length', '16'], '{"codename":"\u00ff"}'),
  {
    name: 'a body that would unpack to a hundred times its size',
    bytes: (sender) => {
      const packed = gzipSync(Buffer.alloc(1_000_000, 32)).toString('latin1');
      const headers = [...JSON_TYPE, 'Content-Encoding', 'gzip', 'Content-Length', String(packed.length)];
      return post(sender, headers, packed);
    },
    statuses: [400],
  },
  {
    name: 'a request smuggled into the body of another',
    bytes: (sender) => {
      const inner = requestText('DELETE', '/api/v1/me', [...HOST, 'Authorization', `Bearer ${sender.token}`]);
      return post(sender, [...JSON_TYPE, 'Content-Length', String(inner.length)], inner);
    },
    statuses: [400],
  },
];

describe('abuse: bytes on the wire', () => {
  const table = createCaseTable('abuse: bytes on the wire');
  const test = useFixture(openTestApi);
  const sender = useFixture(() => test().operator('wire-sender'));
  const port = useFixture(() => Number(new URL(test().origin).port));

  after(() => table.print());

  afterEach(async () => {
    const { json } = await test().get('/api/v1/me', { authorization: `Bearer ${sender().token}` });
    expect(json, 'the operator is as it was').to.deep.include({ codename: 'wire-sender' });
  });

  for (const { name, bytes, statuses } of CASES) {
    it(`refuses ${name}`, async () => {
      const answer = await overTheWire(port(), bytes(sender()));
      const found = [...answer.matchAll(STATUS_LINE)].map(([, status]) => Number(status));
      table.note(name, found.join(', ') || 'closed');
      expect(found.length, answer.slice(0, 500)).to.equal(statuses.length === 0 ? 0 : 1);
      for (const status of found) expect(status, answer.slice(0, 500)).to.be.oneOf([...statuses]);
      expect(answer).to.not.match(/node_modules|root:/);
    });
  }

  it('answers pipelined requests in their order', async () => {
    const first = requestText('GET', '/api/v1/leaderboard', ['Host', 'upsilon.test']);
    const second = requestText('GET', '/api/v1/operators/nobody-here', ['Host', 'upsilon.test']);
    const answer = await overTheWire(port(), first.repeat(20) + second + get('/health/live'));
    const statuses = [...answer.matchAll(STATUS_LINE)].map(([, status]) => status);
    expect(statuses).to.deep.equal([...Array.from({ length: 20 }, () => '200'), '404', '200']);
    table.note('pipelined requests', `${statuses.length} answers in order`);
  });

  it('serves others while clients never finish their requests', async () => {
    const slow = Array.from({ length: SLOW_CLIENTS }, (_, index) => beginAndWait(port(), index, sender()));
    await Promise.all(slow.map(({ begun }) => begun));
    for (let read = 0; read < 20; read++) expect((await test().get('/api/v1/leaderboard')).status).to.equal(200);
    const { json } = await test().post('/api/v1/snapshots', sender().token, test().snapshot(sender()));
    expect(json).to.deep.include({ accepted: true });
    table.note('slowloris', `others are served beside ${SLOW_CLIENTS} that never finish`);
    for (const { socket } of slow) socket.destroy();
  });
});

/** Opens a connection that sends the beginning of a request: of its headers, or of its body. */
function beginAndWait(port: number, index: number, sender: TestOperator): { socket: Socket; begun: Promise<void> } {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => socket.destroy());
  const bytes =
    index % 2 === 0
      ? 'GET /api/v1/leaderboard HTTP/1.1\r\nHost: upsilon.test\r\nX-Slow: '
      : post(sender, [...JSON_TYPE, 'Content-Length', '1000'], '{"codename":');
  const begun = new Promise<void>((resolve) => {
    socket.on('connect', () => socket.write(bytes, 'latin1', () => resolve()));
  });
  return { socket, begun };
}

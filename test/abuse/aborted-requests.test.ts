import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { freePort } from '../../ops/local/free-port.ts';
import { eventually } from '../support/eventually.ts';
import { runService } from '../support/running-service.ts';
import { useFixture } from '../support/use-fixture.ts';
import { requestText } from '../support/wire.ts';

const EACH = 10;

const FORM = ['Content-Type', 'application/x-www-form-urlencoded', 'Content-Length', '100'];
const JSON_LENGTH = ['Content-Type', 'application/json', 'Content-Length', '100'];
const JSON_CHUNKS = ['Content-Type', 'application/json', 'Transfer-Encoding', 'chunked'];

describe('abuse: requests that clients abort', () => {
  const metricsPort = useFixture(() => freePort(2));
  const service = useFixture(() => runService({ metricsPort: metricsPort(), onLog: (line) => lines.push(line) }));
  let token: string;
  const lines: string[] = [];

  before(async () => ({ token } = await service().operator('aborting')));

  async function breakOff(path: string, headers: readonly string[]): Promise<void> {
    const { port, host } = new URL(service().baseUrl);
    const accepted = 'Expect: 100-continue\r\n\r\n';
    const socket = connect({ port: Number(port), host: '127.0.0.1' });
    const sent = ['Host', host, 'Authorization', `Bearer ${token}`, ...headers];
    socket.write(requestText('POST', path, sent).replace(/\r\n$/, accepted));
    // The service is reading the body by now.
    await once(socket, 'data');
    socket.write(headers === JSON_CHUNKS ? '64\r\n{"a' : '{"a');
    socket.resetAndDestroy();
  }

  const metrics = async (): Promise<string> => (await fetch(`http://127.0.0.1:${metricsPort()}/metrics`)).text();

  async function aborted(): Promise<number> {
    const text = await metrics();
    return Number(/^upsilon_http_connections_closed_total\{reason="aborted"\} (\d+)/m.exec(text)?.[1] ?? 0);
  }

  for (const [path, headers] of [
    ['/login/email', FORM],
    ['/oauth/token', FORM],
    ['/oauth/register', JSON_LENGTH],
    ['/api/v1/snapshots', JSON_LENGTH],
    ['/mcp', JSON_LENGTH],
    ['/mcp', JSON_CHUNKS],
  ] as const) {
    it(`counts them, and logs nothing: ${path}`, async () => {
      const before = await aborted();
      lines.length = 0;
      await Promise.all(Array.from({ length: EACH }, () => breakOff(path, headers)));
      await eventually('the count', async () => (await aborted()) === before + EACH);
      expect(lines.filter((line) => /"level":"?(?:warn|error|[45]0)/.test(line))).to.deep.equal([]);
    });
  }

  it('runs no submission of which a part arrived', async () => {
    expect(await metrics()).not.to.match(/route="submitSnapshot",[^}]*status="2/);
  });
});

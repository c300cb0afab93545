import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isIPv4 } from 'node:net';
import { expect } from 'chai';
import { LoadConnection } from '../../../../ops/bench/client/load-connection.ts';
import { readText } from '../../../../ops/bench/client/requests.ts';
import { recordResponse } from '../../../../ops/bench/reads/record-response.ts';
import { listenOnFreePort } from '../../../support/listen.ts';
import { useFixture } from '../../../support/use-fixture.ts';

/** Repeats what it was asked, in two packets. */
function respond({ method, url, headers }: IncomingMessage, response: ServerResponse): void {
  const echo = `${method} ${url} ${String(headers['x-forwarded-for'])}`;
  response.writeHead(200, { 'Content-Length': echo.length, 'X-Kept': 'yes' });
  response.write(echo.slice(0, 3));
  setImmediate(() => response.end(echo.slice(3)));
}

describe('a connection of a load generator', () => {
  const server = useFixture(() => createServer(respond));

  let port = 0;

  async function addressOf(client: number): Promise<string> {
    const { body } = await connection().exchange(readText(port, { path: '/' }, client));
    return body.toString().slice('GET / '.length);
  }

  before(async () => {
    port = await listenOnFreePort(server());
  });
  const connection = useFixture(() => LoadConnection.open(port));

  it('sends one request after another, and reads each response to its end', async () => {
    const get = await connection().exchange(readText(port, { path: '/a' }));
    expect([get.status, get.body.toString()]).to.deep.equal([200, 'GET /a undefined']);
    const other = await connection().exchange(Buffer.from(readText(port, { path: '/b', method: 'DELETE' })));
    expect(other.body.toString()).to.equal('DELETE /b undefined');
  });

  it('sends requests of many clients, whose addresses are not of this machine', async () => {
    const named = await connection().exchange(readText(port, { path: '/CLIENT' }, 7));
    expect(named.body.toString()).to.match(/^GET \/7 /);
    const addresses = new Set<string>();
    for (let client = 0; client < 1_000; client++) addresses.add(await addressOf(client * 49_999));
    expect(addresses.size).to.equal(1_000);
    expect([...addresses].filter((address) => !isIPv4(address) || address.startsWith('127.'))).to.deep.equal([]);
    expect(await addressOf(49_999)).to.equal([...addresses][1]);
  });

  it('records a response without what Node adds', async () => {
    const { path, headers, body } = await recordResponse(port, '/a');
    expect({ path, headers }).to.deep.equal({ path: '/a', headers: ['Content-Length', '16', 'X-Kept', 'yes'] });
    expect(Buffer.from(body, 'base64').toString()).to.equal('GET /a undefined');
  });
});

import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { expect } from 'chai';
import { processEnvironment } from '../../../config/env.ts';
import { findOnPath } from '../../../ops/local/find-on-path.ts';
import { freshDatabase } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { leaveOut } from '../../support/leave-out.ts';
import { listenOnFreePort } from '../../support/listen.ts';
import { startServiceProcesses } from '../../support/service-processes.ts';
import { useSuiteFolder } from '../../support/temporary-folder.ts';
import { findOpenssl, makeCertificate } from '../../support/test-certificate.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { established, PROXIES, receivedAfter, startProxy } from './proxies.ts';

const SETTINGS = {
  BASE_URL: 'https://api.example/api/v1',
  SITE_URL: 'https://www.example',
  LOGIN_URL: 'https://login.example',
  AUTH_URL: 'https://auth.example',
  CONTACT: 'mailto:security@upsilon.example',
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64url'),
  TRUSTED_PROXIES: '127.0.0.1/32',
  SMTP_URL: 'smtp://127.0.0.1:9',
};
const SNAPSHOTS = '/api/v1/snapshots';
/** More requests than any of the shipped limits admits at once. */
const FLOOD = 3_000;
const TOO_LARGE_FOR_PROXY = 2 * 1024 * 1024;
const TOO_LARGE_FOR_SERVICE = 20 * 1024;

const path = `${processEnvironment()['PATH'] ?? ''}:/usr/sbin`;
const openssl = await findOpenssl();
const PROGRAMS = {
  nginx: await findOnPath(['nginx'], path),
  caddy: await findOnPath(['caddy'], path),
  haproxy: await findOnPath(['haproxy'], path),
};

describe('the service behind the shipped file of', function () {
  this.timeout(120_000);
  if (openssl === null) return leaveOut('openssl', 'there is no openssl on this machine');
  const folder = useSuiteFolder();
  const database = useFixture(freshDatabase);
  const service = useFixture(() => startServiceProcesses({ ...database(), apis: 2, workers: 0, settings: SETTINGS }));
  const processes = () => service().bases.map((base) => Number(new URL(base).port));

  before(async () => {
    const { certificate, key } = await makeCertificate(openssl, folder());
    const both = [await readFile(certificate, 'utf8'), await readFile(key, 'utf8')].join('');
    await writeFile(join(folder(), 'certificate-and-key.pem'), both);
  });

  for (const name of ['nginx', 'caddy', 'haproxy'] as const) {
    describe(name, () => {
      const program = PROGRAMS[name];
      if (program === null) return leaveOut(name, `there is no ${name} on this machine`);
      const proxy = useFixture(() => startProxy(program, PROXIES[name], folder(), processes()));

      it('serves each host by its name, and sends plain http to https', async () => {
        const { ports, ask } = proxy();
        expect((await ask({ host: 'www.example', path: '/' })).status).to.equal(200);
        expect((await ask({ host: 'www.example' })).body).to.include('api.example');
        const to = { host: '127.0.0.1', port: ports.http, path: '/docs?a=b', headers: { host: 'api.example' } };
        const [plain] = await once(get(to), 'response');
        expect([plain.statusCode, plain.headers.location]).to.deep.equal([308, 'https://api.example/docs?a=b']);
      });

      it('has each client counted by its address, whatever it says to forward', async () => {
        const left = [];
        for (let asked = 0; asked < 8; asked += 1) {
          const headers = { 'x-forwarded-for': `198.51.100.${asked}`, forwarded: `for=198.51.100.${asked}` };
          left.push(
            Number(
              (await proxy().ask({ localAddress: `${PROXIES[name].clients}.2`, headers })).headers[
                'ratelimit-remaining'
              ],
            ),
          );
        }
        // Each of two processes counts by itself at first.
        expect(Math.max(...left) - Math.min(...left)).to.be.at.least(3);
        const other = await proxy().ask({ localAddress: `${PROXIES[name].clients}.3` });
        expect(Number(other.headers['ratelimit-remaining'])).to.equal(Math.max(...left));
      });

      it('keeps connections open to clients and to the service', async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        for (let asked = 0; asked < 6; asked += 1) await proxy().ask({ agent });
        expect(Object.values(agent.freeSockets).flat()).to.have.length(1);
        expect(await established(proxy().ports.https)).to.equal(1);
        agent.destroy();
        const kept = await Promise.all(processes().map(established));
        expect(Math.max(...kept)).to.be.at.least(1);
      });

      it('refuses large bodies, and passes refusals of the service', async () => {
        const head = `POST ${SNAPSHOTS} HTTP/1.1\r\nHost: api.example\r\nContent-Length: ${TOO_LARGE_FOR_PROXY}\r\n\r\n`;
        expect(await receivedAfter(proxy().ports.https, head, '413')).to.include(' 413 ');
        const body = 'x'.repeat(TOO_LARGE_FOR_SERVICE);
        const refused = await proxy().ask({ method: 'POST', path: SNAPSHOTS, body });
        expect(refused.status).to.equal(401);
        expect(JSON.parse(refused.body).code).to.equal('token_missing');
      });

      it('answers what is no request with 400, and closes heads that come slowly', async () => {
        const { https } = proxy().ports;
        expect(await receivedAfter(https, 'GET / HTTP/1.1\r\nHost: a b\r\nno header\r\n\r\n')).to.include(' 400 ');
        const started = performance.now();
        await receivedAfter(https, 'GET / HTTP/1.1\r\nHost: api.ex');
        expect(performance.now() - started).to.be.within(1_000, 8_000);
      });

      it('sends a GET, and no POST, to the other process when the first one dies over it', async () => {
        const [first] = service().apis;
        process.kill(first!.pid, 'SIGSTOP');
        const all = Array.from({ length: 8 }, async (_, at) => {
          const { status } = await proxy().ask(at < 4 ? {} : { method: 'POST', path: SNAPSHOTS, body: '{}' });
          return status;
        });
        await Promise.any(all);
        await eventually('requests in the process', async () => (await established(processes()[0]!)) > 3);
        process.kill(first!.pid, 'SIGKILL');
        const statuses = await Promise.all(all);
        await first!.stop();
        await first!.start();
        expect(statuses.slice(0, 4)).to.deep.equal([200, 200, 200, 200]);
        expect(new Set(statuses.slice(4))).to.deep.equal(new Set([401, 502]));
      });

      it('passes events on as they come', async () => {
        const source = createServer(({ url }, response) => {
          if (url !== '/events') return response.end();
          response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
          return response;
        });
        const port = await listenOnFreePort(source);
        const before = await startProxy(program, PROXIES[name], folder(), [port, port]);
        const request = 'GET /events HTTP/1.1\r\nHost: api.example\r\n\r\n';
        expect(await receivedAfter(before.ports.https, request, 'data: 1\n\n')).to.include('text/event-stream');
        await before.close();
        source.closeAllConnections();
        source.close();
      });

      it('keeps others served in a flood', async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 50 });
        const flood = await Promise.all(
          Array.from({ length: FLOOD }, () => proxy().ask({ agent, localAddress: `${PROXIES[name].clients}.4` })),
        );
        agent.destroy();
        const refused = flood.filter(({ status }) => status === 429);
        const own = refused.filter(
          ({ headers }) => headers['content-type'] !== 'application/problem+json; charset=utf-8',
        );
        expect(own.length > 0).to.equal(PROXIES[name].refusesFloods);
        expect((await proxy().ask({ localAddress: `${PROXIES[name].clients}.5` })).status).to.equal(200);
      });
    });
  }
});

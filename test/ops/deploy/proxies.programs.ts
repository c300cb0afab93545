import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { processEnvironment } from '../../../config/env.ts';
import { findOnPath } from '../../../ops/local/find-on-path.ts';
import { freePort } from '../../../ops/local/free-port.ts';
import { freshDatabase } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { leaveOut } from '../../support/leave-out.ts';
import { listenOnFreePort } from '../../support/listen.ts';
import { startServiceProcesses } from '../../support/service-processes.ts';
import { useSuiteFolder } from '../../support/temporary-folder.ts';
import { findOpenssl, makeCertificate } from '../../support/test-certificate.ts';
import { useFixture } from '../../support/use-fixture.ts';

const FOLDER = fileURLToPath(new URL('../../../ops/deploy/proxies', import.meta.url));
const SETTINGS = {
  BASE_URL: 'https://api.example/api/v1',
  SITE_URL: 'https://www.example',
  LOGIN_URL: 'https://login.example',
  AUTH_URL: 'https://auth.example',
  CONTACT: 'mailto:security@upsilon.example',
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64url'),
  SMTP_URL: 'smtp://127.0.0.1:9',
  TRUSTED_PROXIES: '127.0.0.1/32',
};
const BOARD = '/api/v1/leaderboard';
const SNAPSHOTS = '/api/v1/snapshots';
/** More requests than any of the shipped limits admits at once. */
const FLOOD = 3_000;

/** For each proxy its file, its arguments, and what a test has other than the machine that the file is for. */
const PROXIES = {
  nginx: {
    file: 'nginx.conf',
    args: ['-e', 'stderr', '-c'],
    refusesFloods: true,
    changes: (http: number, https: number, folder: string) => [
      [/^ +listen \[::\].*\n/gm, ''],
      ['listen 80 ', `listen 127.0.0.1:${http} `],
      ['listen 443 ', `listen 127.0.0.1:${https} `],
      [/\/etc\/upsilon/g, folder],
      ['header_timeout 10s', 'header_timeout 2s'],
      [
        /^/,
        `daemon off; pid ${folder}/pid; error_log stderr crit; events {} http { access_log ${folder}/access.log;\n`,
      ],
      [/$/, '}\n'],
    ],
  },
  caddy: {
    file: 'Caddyfile',
    args: ['run', '--adapter', 'caddyfile', '--config'],
    refusesFloods: false,
    changes: (http: number, https: number) => [
      [/email .*/, `local_certs\nskip_install_trust\nadmin off\nhttp_port ${http}\nhttps_port ${https}`],
      ['read_header 10s', 'read_header 2s'],
    ],
  },
  haproxy: {
    file: 'haproxy.cfg',
    args: ['-db', '-f'],
    refusesFloods: true,
    changes: (http: number, https: number, folder: string) => [
      [':::80 v4v6', `127.0.0.1:${http}`],
      [':::443 v4v6', `127.0.0.1:${https}`],
      ['/etc/upsilon', folder],
      ['http-request 10s', 'http-request 2s'],
    ],
  },
} as const;

/** Runs a proxy with its shipped file, each change of which has to find its place. */
async function startProxy(program: string, name: keyof typeof PROXIES, folder: string, processes: readonly number[]) {
  const [http, https] = [await freePort(), await freePort()];
  const { args, changes, ...proxy } = PROXIES[name];
  const places = processes.map((port, at) => [`127.0.0.1:${3_000 + at}`, `127.0.0.1:${port}`] as const);
  const file = join(folder, proxy.file);
  let config = await readFile(join(FOLDER, proxy.file), 'utf8');
  for (const [place = '', by = ''] of [...places, ...changes(http, https, folder)]) {
    expect(config.search(place), String(place)).to.be.at.least(0);
    config = config.replace(place, String(by));
  }
  await writeFile(file, config);
  const env = { ...processEnvironment(), HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(program, [...args, file], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const said = text(child.stderr);
  const ended = once(child, 'exit');
  const ask = (options: Ask = {}, body = '') => askAt(https, options, body);
  await eventually('the proxy', async () => {
    if (child.exitCode !== null) throw new Error(await said);
    return (await ask().catch(() => null))?.status === 200;
  });
  const close = () => child.kill('SIGTERM') && ended;
  return { http, https, ask, close };
}

type Ask = Omit<RequestOptions, 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

/** A request for the API's host, on a separate connection unless an agent is given. */
async function askAt(port: number, { headers = {}, ...options }: Ask, body: string) {
  const to = {
    host: '127.0.0.1',
    port,
    servername: 'api.example',
    rejectUnauthorized: false,
    path: BOARD,
    agent: false,
  };
  const sized = body === '' ? {} : { 'content-length': body.length, 'content-type': 'application/json' };
  const asked = request({ ...to, ...options, headers: { host: 'api.example', ...sized, ...headers } }).end(body);
  const [response] = await once(asked, 'response');
  const left = Number(response.headers['ratelimit-remaining']);
  return { status: response.statusCode, type: response.headers['content-type'], left, body: await text(response) };
}

/** What a connection receives until the proxy closes it, or until it received `end`. */
async function receivedAfter(port: number, sent: string, end?: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, servername: 'api.example', rejectUnauthorized: false });
  socket.on('error', () => undefined).write(sent);
  let received = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    received += part;
    if (end !== undefined && received.includes(end)) socket.destroy();
  });
  await once(socket, 'close');
  return received;
}

/** Connections that a port of this machine has, by the kernel. */
async function established(port: number): Promise<number> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8')));
  const fields = tables.flatMap((table) => table.split('\n').map((line) => line.trim().split(/ +/)));
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return fields.filter(([, local = '', , state]) => state === '01' && local.endsWith(`:${hex}`)).length;
}

const path = `${processEnvironment()['PATH'] ?? ''}:/usr/sbin`;
const openssl = await findOpenssl();
const PROGRAMS = {
  nginx: await findOnPath(['nginx'], path),
  caddy: await findOnPath(['caddy'], path),
  haproxy: await findOnPath(['haproxy'], path),
};

describe('the service behind the shipped file of', () => {
  if (openssl === null) return leaveOut('openssl', 'there is no openssl on this machine');
  const folder = useSuiteFolder();
  const database = useFixture(freshDatabase);
  const service = useFixture(() => startServiceProcesses({ ...database(), apis: 2, workers: 0, settings: SETTINGS }));
  const processes = () => service().bases.map((base) => Number(new URL(base).port));

  before(async () => {
    const { certificate, key } = await makeCertificate(openssl, folder());
    const both = await Promise.all([certificate, key].map((file) => readFile(file, 'utf8')));
    await writeFile(join(folder(), 'certificate-and-key.pem'), both.join(''));
  });

  for (const [at, name] of (['nginx', 'caddy', 'haproxy'] as const).entries()) {
    describe(name, () => {
      const program = PROGRAMS[name];
      if (program === null) return leaveOut(name, `there is no ${name} on this machine`);
      const proxy = useFixture(() => startProxy(program, name, folder(), processes()));
      /** Its own, so that nobody counted them before. */
      const clients = `127.0.${at + 1}`;

      it('serves each host by its name, and sends plain http to https', async () => {
        const { http, ask } = proxy();
        expect((await ask({ path: '/', headers: { host: 'www.example' } })).status).to.equal(200);
        expect((await ask({ headers: { host: 'www.example' } })).body).to.include('api.example');
        const to = { host: '127.0.0.1', port: http, path: '/docs?a=b', headers: { host: 'api.example' } };
        const [plain] = await once(get(to), 'response');
        expect([plain.statusCode, plain.headers.location]).to.deep.equal([308, 'https://api.example/docs?a=b']);
      });

      if (name === 'nginx') {
        it('logs no address, which may have a code', async () => {
          await proxy().ask({ path: '/account/league/join?code=secret', headers: { host: 'login.example' } });
          await once(get({ host: '127.0.0.1', port: proxy().http, path: '/?code=secret' }), 'response');
          expect(await readFile(join(folder(), 'access.log'), 'utf8')).to.equal('');
        });
      }

      it('has each client counted by its address, whatever it says to forward', async () => {
        const left = [];
        for (let asked = 0; asked < 8; asked += 1) {
          const headers = { 'x-forwarded-for': `198.51.100.${asked}`, forwarded: `for=198.51.100.${asked}` };
          left.push((await proxy().ask({ localAddress: `${clients}.2`, headers })).left);
        }
        // Each of two processes counts by itself at first.
        expect(Math.max(...left) - Math.min(...left)).to.be.at.least(3);
        expect((await proxy().ask({ localAddress: `${clients}.3` })).left).to.equal(Math.max(...left));
      });

      it('keeps connections open to clients and to the service', async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        for (let asked = 0; asked < 6; asked += 1) await proxy().ask({ agent });
        expect(Object.values(agent.freeSockets).flat()).to.have.length(1);
        expect(await established(proxy().https)).to.equal(1);
        agent.destroy();
        const kept = await Promise.all(processes().map(established));
        expect(Math.max(...kept)).to.be.at.least(1);
      });

      it('refuses large bodies, and passes refusals of the service', async () => {
        const head = `POST ${SNAPSHOTS} HTTP/1.1\r\nHost: api.example\r\nContent-Length: ${2 * 1024 * 1024}\r\n\r\n`;
        expect(await receivedAfter(proxy().https, head, '413')).to.include(' 413 ');
        const { status, body } = await proxy().ask({ method: 'POST', path: SNAPSHOTS }, 'x'.repeat(20 * 1024));
        expect([status, JSON.parse(body).code]).to.deep.equal([401, 'token_missing']);
      });

      it('answers what is no request with 400, and closes heads that come slowly', async () => {
        const { https } = proxy();
        expect(await receivedAfter(https, 'GET / HTTP/1.1\r\nHost: a b\r\nno header\r\n\r\n')).to.include(' 400 ');
        const started = performance.now();
        await receivedAfter(https, 'GET / HTTP/1.1\r\nHost: api.ex');
        expect(performance.now() - started).to.be.at.least(1_000);
      });

      it('sends a GET, and no POST, to the other process when the first one dies over it', async () => {
        const [first] = service().apis;
        process.kill(first!.pid, 'SIGSTOP');
        const all = Array.from({ length: 8 }, async (_, number) => {
          const asked = number < 4 ? proxy().ask() : proxy().ask({ method: 'POST', path: SNAPSHOTS }, '{}');
          return (await asked).status;
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
        const before = await startProxy(program, name, folder(), [port, port]);
        const head = 'GET /events HTTP/1.1\r\nHost: api.example\r\n\r\n';
        expect(await receivedAfter(before.https, head, 'data: 1\n\n')).to.include('text/event-stream');
        await before.close();
        source.closeAllConnections();
        source.close();
      });

      it('keeps others served in a flood', async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 50 });
        const client = { agent, localAddress: `${clients}.4` };
        const flood = await Promise.all(Array.from({ length: FLOOD }, () => proxy().ask(client)));
        agent.destroy();
        const own = flood.filter(
          ({ status, type }) => status === 429 && type?.startsWith('application/problem') !== true,
        );
        expect(own.length > 0).to.equal(PROXIES[name].refusesFloods);
        expect((await proxy().ask({ localAddress: `${clients}.5` })).status).to.equal(200);
      });
    });
  }
});

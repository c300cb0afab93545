import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type RequestOptions, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { processEnvironment } from '../../../config/env.ts';
import { freePort } from '../../../ops/local/free-port.ts';
import { eventually } from '../../support/eventually.ts';

const FOLDER = fileURLToPath(new URL('../../../ops/deploy/proxies', import.meta.url));
export const BOARD = '/api/v1/leaderboard';
type Ports = Readonly<Record<'http' | 'https', number>>;

/** What a test has other than the machine that a file is for: ports, certificates, and a shorter time for heads. */
interface Proxy {
  readonly file: string;
  readonly changes: (ports: Ports, folder: string) => readonly (readonly [string | RegExp, string])[];
  readonly args: (file: string) => readonly string[];
  /** The first groups of addresses that no other proxy has. */
  readonly clients: string;
  /** Whether it refuses floods of requests by itself. */
  readonly refusesFloods: boolean;
}

export const PROXIES: Readonly<Record<'nginx' | 'caddy' | 'haproxy', Proxy>> = {
  nginx: {
    file: 'nginx.conf',
    changes: ({ http, https }, folder) => [
      [/^ +listen \[::\].*\n/gm, ''],
      ['listen 80 ', `listen 127.0.0.1:${http} `],
      ['listen 443 ', `listen 127.0.0.1:${https} `],
      [/\/etc\/upsilon/g, folder],
      ['client_header_timeout 10s', 'client_header_timeout 2s'],
      [/^/, `daemon off; pid ${folder}/pid; error_log stderr crit; events {} http { access_log off;\n`],
      [/$/, '}\n'],
    ],
    args: (file) => ['-e', 'stderr', '-c', file],
    clients: '127.0.1',
    refusesFloods: true,
  },
  caddy: {
    file: 'Caddyfile',
    changes: ({ http, https }) => [
      [
        'email hostmaster@upsilon.example',
        `local_certs\nskip_install_trust\nadmin off\nhttp_port ${http}\nhttps_port ${https}`,
      ],
      ['read_header 10s', 'read_header 2s'],
    ],
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    clients: '127.0.2',
    refusesFloods: false,
  },
  haproxy: {
    file: 'haproxy.cfg',
    changes: ({ http, https }, folder) => [
      [':::80 v4v6', `127.0.0.1:${http}`],
      [':::443 v4v6', `127.0.0.1:${https}`],
      ['/etc/upsilon', folder],
      ['http-request 10s', 'http-request 2s'],
    ],
    args: (file) => ['-db', '-f', file],
    clients: '127.0.3',
    refusesFloods: true,
  },
};

/** Runs a proxy with its shipped file; every change of it has to find its place. */
export async function startProxy(program: string, proxy: Proxy, folder: string, processes: readonly number[]) {
  const ports = { http: await freePort(), https: await freePort() };
  const places = processes.map((port, at) => [`127.0.0.1:${3000 + at}`, `127.0.0.1:${port}`] as const);
  let config = await readFile(join(FOLDER, proxy.file), 'utf8');
  for (const [place, by] of [...places, ...proxy.changes(ports, folder)]) {
    expect(config.search(place), String(place)).to.be.at.least(0);
    config = config.replace(place, by);
  }
  const file = join(folder, proxy.file);
  await writeFile(file, config);
  const env = { ...processEnvironment(), HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(program, proxy.args(file), { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const said = text(child.stderr);
  const ended = once(child, 'exit');
  const ask = (options: Ask = {}) => askAt(ports.https, options);
  await eventually('the proxy', async () => {
    if (child.exitCode !== null) throw new Error(await said);
    return (await ask().catch(() => null))?.status === 200;
  });
  return {
    ports,
    ask,
    async close() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

interface Ask extends Pick<RequestOptions, 'method' | 'path' | 'agent' | 'localAddress'> {
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request for a host of the service, on a connection of its own unless an agent is given. */
function askAt(port: number, { host = 'api.example', headers, body = '', ...rest }: Ask) {
  return new Promise<{ status: number; headers: Readonly<Record<string, unknown>>; body: string }>(
    (resolve, reject) => {
      const to = { host: '127.0.0.1', port, servername: host, rejectUnauthorized: false, path: BOARD, agent: false };
      const sized = body === '' ? {} : { 'content-length': String(body.length), 'content-type': 'application/json' };
      const asked = request({ ...to, ...rest, headers: { host, ...sized, ...headers } }, (response) => {
        text(response).then(
          (read) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: read }),
          reject,
        );
      });
      asked.on('error', reject).end(body);
    },
  );
}

/** What a connection receives until the proxy closes it, or until it received `end`. */
export async function receivedAfter(port: number, sent: string, end?: string): Promise<string> {
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
export async function established(port: number): Promise<number> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const lines = tables.flatMap((table) => table.split('\n').map((line) => line.trim().split(/ +/)));
  return lines.filter(([, local = '', , state]) => state === '01' && local.endsWith(`:${hex}`)).length;
}

import { writeFile } from 'node:fs/promises';
import { readRequests, type Sent } from './requests.ts';
import { type RunningCheckout, runCheckout } from './run-checkout.ts';
import { type Received, sendMany, sendRaw } from './send-raw.ts';
import { createValues } from './values.ts';

/** One request with its response. `key` is the same in every record. */
export interface Recorded {
  readonly key: string;
  readonly surface: string;
  readonly response: Received;
}

const HOST = 'localhost:8080';
const ORIGIN = `http://${HOST}`;

/** Addresses of the services; none is the address that it listens on, so that responses contain no port of a run. */
const SERVICES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'one host': { BASE_URL: `${ORIGIN}/api/v1` },
  'four hosts': {
    BASE_URL: 'https://api.upsilon.localhost/api/v1',
    SITE_URL: 'https://upsilon.localhost',
    LOGIN_URL: 'https://login.upsilon.localhost',
    AUTH_URL: 'https://auth.upsilon.localhost/id',
    GITHUB_CLIENT_ID: 'client',
    GITHUB_CLIENT_SECRET: 'secret',
    TERMS_URL: 'https://upsilon.localhost/terms',
    CONTACT: 'mailto:security@upsilon.localhost',
  },
};

const OPERATORS = 27;
/** How long the board has not changed when it is up to date, in milliseconds. */
const SETTLED_MS = 4_000;
/** A burst of requests begins at least this long before the end of a window of the limits, in milliseconds. */
const BURST_MS = 25_000;
const MINUTE_MS = 60_000;
/** Lifetime of access tokens, in milliseconds. */
const TOKENS_MS = 600_000;
/** How long a token of one second is waited for, in milliseconds. */
const EXPIRED_MS = 2_500;
/** The address that reads the board while it is awaited. */
const WAITING = '127.9.0.1';
const MAX_HOPS = 8;

/** Sends every request to the services of a checkout, and writes the record: one line for each. */
export async function record(checkout: string, file: string): Promise<readonly Recorded[]> {
  const recorded: Recorded[] = [];
  for (const [name, requests] of readRequests()) {
    await using service = await runCheckout(checkout, SERVICES[name] ?? {});
    recorded.push(...(await createRecorder(service, name).send(requests)));
  }
  await writeFile(file, recorded.map((each) => `${JSON.stringify(each)}\n`).join(''));
  return recorded;
}

function createRecorder(checkout: RunningCheckout, service: string) {
  const { port } = checkout;
  const values = createValues();
  const { cookiesOf, bytesOf } = createWriter(values);
  const seen = new Map<string, number>();
  const crowded = new Map<string, string>();
  const recorded: Recorded[] = [];
  let clients = 0;

  /** An address that no request had before: each counts for itself under the limits. */
  function nextAddress(): string {
    clients += 1;
    return `127.${10 + Math.floor(clients / 62_500)}.${Math.floor(clients / 250) % 250}.${(clients % 250) + 1}`;
  }

  /** The address of a client that has used up a quota. */
  async function crowdedAddress(sent: Sent): Promise<string> {
    const known = crowded.get(sent.target);
    if (known !== undefined) return known;
    const from = nextAddress();
    crowded.set(sent.target, from);
    const left = MINUTE_MS - (Date.now() % MINUTE_MS);
    if (left < BURST_MS) await pause(left);
    await sendMany(
      port,
      from,
      Array.from({ length: sent.over }, (_, n) => bytesOf(sent, n)),
    );
    return from;
  }

  async function sendOne(sent: Sent, hop = 0): Promise<void> {
    if (sent.settled) {
      await untilSettled(port);
      values.kept.set('expired', await checkout.ops('operator', 'token', 'replay-05', '--expires-in', '1s'));
      await pause(EXPIRED_MS);
    }
    const from = sent.over > 0 ? await crowdedAddress(sent) : nextAddress();
    const response = await sendRaw(port, from, bytesOf(sent), sent.method === 'HEAD');
    const times = (seen.get(sent.line) ?? 0) + 1;
    seen.set(sent.line, times);
    recorded.push({
      key: `${service} | ${sent.line}${times === 1 ? '' : ` (${times})`}`,
      surface: sent.surface,
      response,
    });
    keepCookies(cookiesOf(sent.jar), response);
    values.keep(response, sent.keep, sent.jar);
    const location = response.headers.find(([name]) => name.toLowerCase() === 'location')?.[1] ?? '';
    if (!sent.follow || !location.startsWith(`${ORIGIN}/`) || hop === MAX_HOPS) return;
    const next = { method: 'GET', target: location.slice(ORIGIN.length), headers: [], body: null };
    await sendOne({ ...sent, ...next, line: `${sent.line} >` }, hop + 1);
  }

  return {
    async send(requests: readonly Sent[]): Promise<readonly Recorded[]> {
      const startedAt = performance.now();
      for (const sent of requests) await sendOne(sent);
      if (performance.now() - startedAt > TOKENS_MS)
        throw new Error('tokens expired before the end: the machine is too busy');
      return recorded;
    },
  };
}

/** Writes requests as bytes, with the values and cookies of the run. */
function createWriter({ fill }: Pick<ReturnType<typeof createValues>, 'fill'>) {
  const jars = new Map<string, Map<string, string>>();

  function cookiesOf(jar: string | null): Map<string, string> {
    const cookies = jars.get(jar ?? '') ?? new Map<string, string>();
    if (jar !== null) jars.set(jar, cookies);
    return cookies;
  }

  function bytesOf({ method, target, headers, body, jar }: Sent, n = 0): Buffer {
    const content = body === null ? null : toBytes(fill(body, jar));
    if (method === 'RAW') return content ?? Buffer.alloc(0);
    const cookies = Array.from(cookiesOf(jar), ([name, value]) => `${name}=${value}`).join('; ');
    const isChunked = headers.some(([name]) => name === 'Transfer-Encoding');
    const all = [
      ...(headers.some(([name]) => name === 'Host') ? [] : [['Host', HOST] as const]),
      ...headers,
      ...(cookies === '' ? [] : [['Cookie', cookies] as const]),
      ...(content === null || isChunked ? [] : [['Content-Length', String(content.length)] as const]),
    ];
    const lines = all.map(([name, value]) => `${name}: ${fill(value, jar)}\r\n`);
    const to = fill(target, jar).replace('{n}', String(n));
    const head = Buffer.from(`${method} ${to} HTTP/1.1\r\n${lines.join('')}\r\n`);
    return Buffer.concat([head, isChunked ? chunked(content) : (content ?? Buffer.alloc(0))]);
  }

  return { cookiesOf, bytesOf };
}

/** Waits until every operator is on the board and the board stays as it is. */
async function untilSettled(port: number): Promise<void> {
  const bytes = Buffer.from(`GET /api/v1/leaderboard HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
  for (let [before, now] = ['', '-']; before !== now || !now.endsWith(`:${OPERATORS}`); await pause(SETTLED_MS)) {
    const { text = '' } = await sendRaw(port, WAITING, bytes, false);
    [before, now] = [now, /"board_version.*?"listed_operators":\d+/.exec(text)?.[0] ?? ''];
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The bytes of a body: `hex:` and escapes stand for bytes that a line cannot contain. */
function toBytes(text: string): Buffer {
  if (text.startsWith('hex:')) return Buffer.from(text.slice(4), 'hex');
  return Buffer.from(text.replaceAll('\\r\\n', '\r\n').replaceAll('\\x01', '\x01'));
}

function chunked(body: Buffer | null): Buffer {
  const parts = body === null ? [] : [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')];
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}

function keepCookies(cookies: Map<string, string>, { headers }: Received): void {
  for (const [name, line] of headers) {
    const [, cookie, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (name.toLowerCase() !== 'set-cookie' || cookie === undefined || value === undefined) continue;
    if (value === '' || /max-age=0|expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(cookie);
    else cookies.set(cookie, value);
  }
}

import { makeDeviceProof, makeSubmission, namedDeviceKey } from '../support/signing.ts';
import type { Received } from './send-raw.ts';

/** Values that requests keep from a response, by their names in `requests.txt`. */
const KEPT: Readonly<Record<string, RegExp>> = {
  automation: /<pre>(ups_[^<]+)</,
  client: /"client_id":"([^"]+)"/,
  code: /[?&]code=([\w-]+)/,
  csrf: /name="csrf" value="([^"]+)"/,
  devicecode: /"device_code":"([^"]+)"/,
  etag: /^etag: ?(.+)$/im,
  link: /\/login\/link\?token=([\w-]+)/,
  refresh: /"refresh_token":"([^"]+)"/,
  token: /"access_token":"([^"]+)"/,
  uid: /name="interaction" value="([^"]+)"/,
  user: /"user_code":"([^"]+)"/,
  xsrf: /name="xsrf" value="([^"]+)"/,
};

const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const REDIRECT = encodeURIComponent('http://127.0.0.1:49152/callback');

/** Operators whose tokens `{{actor}}` takes in turn: each has a quota. */
const ACTORS = 10;

const FIXED: Readonly<Record<string, string>> = {
  authorize: `client_id=upsilon-cli&redirect_uri=${REDIRECT}&response_type=code&state=s&code_challenge=${CHALLENGE}&code_challenge_method=S256`,
  challenge: CHALLENGE,
  devicegrant: 'urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code',
  fields:
    'email=person%40replay.example&next=%2Faccount&name=BAD+NAME&token=x&interaction=x&answer=allow&kind=x&key=x&address=x&new_codename=%21&device=x&days=0&token_name=x&codename=x&case=1&text=x&plan=monthly',
  host: 'Host: localhost:8080\r\n',
  list: '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}',
  redirect: REDIRECT,
  scopes: 'openid+profile+email+offline_access',
  verifier: VERIFIER,
};

/** Values of one run, which each jar keeps apart. */
export function createValues() {
  const kept = new Map<string, string>();
  let actors = 0;

  const computed: Readonly<Record<string, (own: string, ...args: string[]) => string>> = {
    actor: () => kept.get(`op1${(actors++ % ACTORS).toString()}:token`) ?? '',
    kid: (_, operator = '') => keyOf(operator).kid,
    op: (own) => own,
    repeat: (_, times, ...text) => text.join(' ').repeat(Number(times)),
    device: (own, operator = own) => {
      const key = keyOf(operator);
      const proof = makeDeviceProof(key, { codename: `replay-${own}`, iat: now() });
      return JSON.stringify({ jwk: key.jwk, name: 'replayed', proof });
    },
    // The Yield grows with the number of the operator: who comes later has rank 1, whatever of the board is published.
    snapshot: (own, operator = own, jti = `jti-replay-${own}`, more = '0') => {
      const index = Number(operator);
      const counts = {
        input: 40_000 - 700 * index,
        output: 90_000 + Number(more),
        cache_read: 900_000 + 31_000 * index,
      };
      const payload = {
        codename: `replay-${operator}`,
        ...counts,
        cache_write: 5_000,
        platform: index % 3 === 0 ? 'terminal' : 'editor',
      };
      // The same arguments are the same snapshot, so that it can be sent again.
      const [name, made] = [
        `${own} ${operator} ${jti} ${more}`,
        makeSubmission(keyOf(own), payload, { iat: now(), jti }),
      ];
      kept.set(name, kept.get(name) ?? JSON.stringify(made));
      return kept.get(name) ?? '';
    },
  };

  return {
    kept,
    fill: (text: string, jar: string | null): string =>
      text.replaceAll(/\{\{(\w[^{}]*(?:\{[^{}]*\}[^{}]*)?)\}\}/g, (_, content: string) => {
        const [name = '', ...args] = content.split(' ');
        const value = computed[name]?.((jar ?? '').replace('op', ''), ...args);
        return value ?? FIXED[name] ?? kept.get(`${jar}:${name}`) ?? kept.get(name) ?? `no ${name}`;
      }),
    keep({ headers, text = '' }: Received, names: readonly string[], jar: string | null): void {
      const all = [...headers.map(([name, value]) => `${name}: ${value}`), text].join('\n');
      for (const name of names) {
        const found = KEPT[name]?.exec(all)?.[1];
        if (found !== undefined) kept.set(jar === null ? name : `${jar}:${name}`, found);
      }
    },
  };
}

const keyOf = (operator: string) => namedDeviceKey(`replay-${operator}`);

const now = (): number => Math.floor(Date.now() / 1_000);

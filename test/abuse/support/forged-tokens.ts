import { createHmac } from 'node:crypto';
import { base64url, makeDeviceKey, makeDeviceProof, signDetached, type TestDeviceKey } from '../../support/signing.ts';
import type { TestApi, TestOperator } from '../../support/test-api.ts';
import { enlargeS } from '../../vectors/alterations.ts';

/** Who takes part: one attacks, the other is what they would like to be. */
export interface Cast {
  readonly test: TestApi;
  readonly mallory: TestOperator;
  readonly alice: TestOperator;
  readonly now: number;
}

/** Forged access tokens, each derived from a valid one of Mallory's. */
export const TOKENS: readonly (readonly [name: string, forge: (cast: Cast) => Promise<string>])[] = [
  ['alg none', async (cast) => `${forgedHeader(cast, { alg: 'none' })}.${payloadOf(cast)}.`],
  [
    'alg none, the old signature',
    async (cast) => `${forgedHeader(cast, { alg: 'none' })}.${payloadOf(cast)}.${macOf(cast)}`,
  ],
  ['alg HS256 with the public key as the secret', withPublicSecret],
  [
    'kid injection: a path',
    async (cast) => `${forgedHeader(cast, { kid: '../../dev/null' })}.${payloadOf(cast)}.${macOf(cast)}`,
  ],
  [
    'kid injection: an operator',
    async (cast) => `${forgedHeader(cast, { kid: { $ne: '' } })}.${payloadOf(cast)}.${macOf(cast)}`,
  ],
  ['key brought along: jwk', async (cast) => selfSigned(cast, { jwk: ATTACKERS_KEY.jwk })],
  ['key brought along: jku', async (cast) => selfSigned(cast, { jku: 'http://127.0.0.1:1/jwks' })],
  ['signed by an own device key', async (cast) => selfSigned(cast, { kid: cast.mallory.key.kid }, cast.mallory.key)],
  ['another subject', async (cast) => `${headerOf(cast)}.${payloadOf(cast, { sub: 'alice' })}.${macOf(cast)}`],
  ['malleable: S + L', async ({ mallory }) => enlargedToken(mallory.token)],
  [
    'another kind of token: a device proof',
    async ({ mallory, now }) => makeDeviceProof(mallory.key, { codename: 'mallory', iat: now }),
  ],
];

const ATTACKERS_KEY = makeDeviceKey();

const headerOf = ({ mallory }: Cast): string => mallory.token.split('.')[0] ?? '';
const macOf = ({ mallory }: Cast): string => mallory.token.split('.')[2] ?? '';

function forgedHeader(cast: Cast, members: object): string {
  const header: object = JSON.parse(Buffer.from(headerOf(cast), 'base64url').toString('utf8'));
  return base64url(JSON.stringify({ ...header, ...members }));
}

function payloadOf({ mallory }: Cast, claims: object = {}): string {
  const payload: object = JSON.parse(Buffer.from(mallory.token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  return base64url(JSON.stringify({ ...payload, ...claims }));
}

async function withPublicSecret(cast: Cast): Promise<string> {
  const [jwk] = (await cast.test.accounts.jwks()).keys;
  const head = `${forgedHeader(cast, { alg: 'HS256' })}.${payloadOf(cast)}`;
  const secret = Buffer.from(String(jwk?.x), 'base64url');
  return `${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`;
}

function selfSigned(cast: Cast, members: object, key: TestDeviceKey = ATTACKERS_KEY): string {
  const header = Buffer.from(forgedHeader(cast, members), 'base64url').toString('utf8');
  const payload = Buffer.from(payloadOf(cast), 'base64url').toString('utf8');
  const [first, , mac] = signDetached(key, header, payload).split('.');
  return `${first}.${base64url(payload)}.${mac}`;
}

function enlargedToken(token: string): string {
  const [header, payload, mac] = token.split('.');
  return `${header}.${payload}.${enlargeS(1n)(`${header}..${mac}`).split('.')[2]}`;
}

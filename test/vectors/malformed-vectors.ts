import { base64url, canonical } from '../support/signing.ts';
import { hmac, jsonSerialization, replaceSignature, signatureOf, strayBits } from './alterations.ts';
import { badRequest, headerTextOf, IAT, makeVector, OWN, PAYLOAD } from './vector-cast.ts';
import type { SnapshotVector } from './vector-types.ts';

/** Snapshots that must be refused as requests: their signature is no detached JWS of the published layout. */
export function malformedVectors(): readonly SnapshotVector[] {
  return [...compactVectors(), ...algorithmVectors(), ...headerMemberVectors(), ...headerTextVectors()];
}

function compactVectors(): SnapshotVector[] {
  const payloadText = base64url(canonical(PAYLOAD));
  const alterations: readonly (readonly [name: string, alter: (signature: string) => string])[] = [
    ['no JWS at all', () => 'sample'],
    ['empty signature text', () => ''],
    ['attached payload', (text) => text.replace('..', `.${payloadText}.`)],
    ['two parts', (text) => text.replace('..', '.')],
    ['four parts', (text) => `${text}.AAAA`],
    ['truncated by one character', (text) => text.slice(0, -1)],
    ['truncated to 63 bytes', (text) => replaceSignature(text, signatureOf(text).subarray(0, 63))],
    ['one byte too long', (text) => replaceSignature(text, Buffer.concat([signatureOf(text), Buffer.alloc(1)]))],
    ['base64 with padding', (text) => `${text}==`],
    ['header with padding', (text) => text.replace('..', '=..')],
    ['base64 instead of base64url', (text) => text.replace(/\.\.(.)/, '..+')],
    ['stray bits in the last character', strayBits],
    ['line break at the end', (text) => `${text}\n`],
    ['space in front', (text) => ` ${text}`],
    ['JSON serialization', jsonSerialization],
  ];
  return alterations.map(([name, alter]) => makeVector(`compact form: ${name}`, badRequest(), { alter }));
}

function algorithmVectors(): SnapshotVector[] {
  return [
    makeVector('alg none, no signature', badRequest(), {
      header: { alg: 'none' },
      alter: (text) => replaceSignature(text),
    }),
    makeVector('alg none, a good signature', badRequest(), { header: { alg: 'none' } }),
    makeVector('alg HS256 with the public key as the secret', badRequest(), {
      header: { alg: 'HS256' },
      alter: (text) => hmac('sha256', text),
    }),
    makeVector('alg HS512 with the public key as the secret', badRequest(), {
      why: 'An HMAC of 64 bytes has the shape of an Ed25519 signature.',
      header: { alg: 'HS512' },
      alter: (text) => hmac('sha512', text),
    }),
    ...['Ed25519', 'eddsa', 'ES256', '', null, ['EdDSA']].map((alg) =>
      makeVector(`alg ${JSON.stringify(alg)}`, badRequest(), { header: { alg } }),
    ),
    makeVector('alg missing', badRequest(), { header: { alg: undefined } }),
  ];
}

/** Of the members that state where the counts come from. */
const STATEMENTS: readonly Readonly<Record<string, unknown>>[] = [
  { counting: 'estimated' },
  { counting: 'Exact' },
  { counting: '' },
  { counting: null },
  { counting: 1 },
  { counting: ['exact'] },
  { counting: { toString: 'exact' } },
  { counting: 'constructor' },
];

function headerMemberVectors(): SnapshotVector[] {
  const changes: readonly Readonly<Record<string, unknown>>[] = [
    { typ: 'device-proof+jws' },
    { typ: 'application/snapshot+jws' },
    { typ: undefined },
    { crit: ['b64'], b64: false },
    { crit: [] },
    { b64: true },
    { jwk: OWN.jwk },
    { jwk: null },
    { jku: 'https://keys.invalid/jwks.json' },
    { x5c: [] },
    { x5u: 'https://keys.invalid/chain.pem' },
    { kid: undefined },
    { kid: OWN.kid.slice(0, 42) },
    { kid: `${OWN.kid}=` },
    { kid: `${'A'.repeat(42)}B` },
    { kid: 7 },
    { jti: undefined },
    { jti: 'short-7' },
    { jti: 'j'.repeat(65) },
    { jti: 'with a space' },
    { jti: 'caf\u00e9-caf\u00e9' },
    { jti: 12_345_678 },
    { iat: undefined },
    { iat: `${IAT}` },
    { iat: IAT + 0.5 },
    { iat: -1 },
    { iat: 1e21 },
    { as_of: null },
    { as_of: IAT - 0.5 },
    { as_of: '2026-01-01T00:00:00Z' },
    { stream: null },
    { stream: 'short-7' },
    { stream: 's'.repeat(65) },
    { stream: 'with.dots.inside' },
    { epoch: -1 },
    { epoch: 1_001 },
    { epoch: 0.5 },
    { epoch: '1' },
    { epoch: null },
    { cli: '' },
    { cli: 'v'.repeat(33) },
    { cli: 'line\nbreak' },
    { cli: 1 },
    ...STATEMENTS,
  ];
  return changes.map((header) => {
    const text = JSON.stringify(header, (_, value: unknown) => (value === undefined ? '(absent)' : value));
    return makeVector(`header ${text.length > 80 ? `${text.slice(0, 77)}...` : text}`, badRequest(), { header });
  });
}

function headerTextVectors(): SnapshotVector[] {
  const plain = headerTextOf('header text', OWN);
  const texts: readonly (readonly [name: string, text: string])[] = [
    ['not JSON', '{alg:EdDSA}'],
    ['an array', `[${plain}]`],
    ['null', 'null'],
    ['a string', JSON.stringify(plain)],
    ['cut off', plain.slice(0, -1)],
    ['two values', `${plain}${plain}`],
    ['alg twice, the last one wrong', plain.replace(/\}$/, ',"alg":"none"}')],
    ['crit under an escaped name', plain.replace('{', '{"\\u0063rit":["exp"],')],
    ['over 2,048 characters', plain.replace('{', `{"sample":"${'x'.repeat(2_048)}",`)],
  ];
  return texts.map(([name, headerText]) => makeVector(`header text: ${name}`, badRequest(), { headerText }));
}

/** Well signed, and refused as requests because of what they say. */
export function unacceptableVectors(): readonly SnapshotVector[] {
  const platforms = ['caf\u00e9', '\u0440latform', 'Sample', '-sample', 'a b', '', 'p'.repeat(33)];
  return [
    ...platforms.map((platform) =>
      makeVector(
        `platform ${JSON.stringify(platform)}`,
        { status: 400, about: 'platform' },
        {
          payload: { ...PAYLOAD, platform },
        },
      ),
    ),
    ...[1e21, 2 ** 53, -1, 5e300].map((input) =>
      makeVector(`input ${input}`, { status: 400, about: 'counts' }, { payload: { ...PAYLOAD, input } }),
    ),
    makeVector(
      'body: a member twice',
      { status: 400, about: 'body' },
      {
        why: 'Readers differ over which of the two counts.',
        alterBody: (body) => body.replace('"input":120000', '"input":1,"input":120000'),
      },
    ),
    makeVector(
      'body: a count as text',
      { status: 400, about: 'counts' },
      {
        alterBody: (body) => body.replace('"input":120000', '"input":"120000"'),
      },
    ),
  ];
}

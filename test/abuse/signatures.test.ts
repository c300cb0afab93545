import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import {
  base64url,
  canonical,
  makeDeviceKey,
  makeDeviceProof,
  signDetached,
  snapshotHeader,
  type TestDeviceKey,
} from '../support/signing.ts';
import { type Answered, openTestApi } from '../support/test-api.ts';
import { enlargeS, flipBit, replaceSignature, strayBits } from '../vectors/alterations.ts';
import { EDGE_R, signWithSmallOrderR, signWithTorsionInR } from '../vectors/edge-signatures.ts';
import { publicKeyVectors } from '../vectors/public-key-vectors.ts';
import { createCaseTable } from './support/case-table.ts';
import { type Cast, TOKENS } from './support/forged-tokens.ts';

const DAY_S = 86_400;
const MINUTE_S = 60;
/** Attackers have this many chances to be believed before the test would notice a counted snapshot. */
const COUNTS = { input: 1, output: 1_000_000, cache_read: 1_000_000, cache_write: 0 };

interface SnapshotCase {
  readonly name: string;
  /** The status, and the code of the problem or the reason of the refusal. */
  readonly expected: string;
  readonly body: (cast: Cast) => object;
}

/** A body of Mallory's, signed as the options require: with other header members, another key, or altered afterwards. */
function signed(
  { mallory, now }: Cast,
  header: Readonly<Record<string, unknown>> = {},
  { key = mallory.key, codename = mallory.codename, alter = same }: Signing = {},
): object {
  const payload = { codename, ...COUNTS };
  const full = { ...snapshotHeader(mallory.key, { iat: now }), ...header };
  return { ...payload, signature: alter(signDetached(key, JSON.stringify(full), canonical(payload))) };
}

interface Signing {
  readonly key?: TestDeviceKey;
  readonly codename?: string;
  readonly alter?: (jws: string) => string;
}

const same = (jws: string): string => jws;

function withHmac({ mallory, now }: Cast, alg: 'HS256' | 'HS512'): object {
  const payload = { codename: mallory.codename, ...COUNTS };
  const header = base64url(JSON.stringify({ ...snapshotHeader(mallory.key, { iat: now }), alg }));
  const mac = createHmac(alg === 'HS256' ? 'sha256' : 'sha512', Buffer.from(mallory.key.x, 'base64url'))
    .update(`${header}.${base64url(canonical(payload))}`)
    .digest('base64url');
  return { ...payload, signature: `${header}..${mac}` };
}

function withOddR({ mallory, now }: Cast, sign: (key: TestDeviceKey, message: Buffer) => Buffer): object {
  const payload = { codename: mallory.codename, ...COUNTS };
  const header = base64url(JSON.stringify(snapshotHeader(mallory.key, { iat: now })));
  const message = Buffer.from(`${header}.${base64url(canonical(payload))}`);
  return { ...payload, signature: replaceSignature(`${header}..`, sign(mallory.key, message)) };
}

const HEADER_REFUSED = '400 signature_header_invalid';
const MALFORMED = '400 signature_malformed';

const SNAPSHOTS: readonly SnapshotCase[] = [
  ...['none', 'None', 'ES256', 'Ed25519', 'eddsa', '', null, ['EdDSA']].map((alg) => ({
    name: `alg confusion: ${JSON.stringify(alg)}`,
    expected: HEADER_REFUSED,
    body: (cast: Cast) => signed(cast, { alg }),
  })),
  {
    name: 'alg confusion: none, without a signature',
    expected: MALFORMED,
    body: (cast) => signed(cast, { alg: 'none' }, { alter: (jws) => replaceSignature(jws) }),
  },
  ...(
    [
      ['HS256', MALFORMED],
      ['HS512', HEADER_REFUSED],
    ] as const
  ).map(([alg, expected]) => ({
    name: `alg confusion: ${alg} with the public key as the secret`,
    expected,
    body: (cast: Cast) => withHmac(cast, alg),
  })),
  ...[
    '../../../etc/passwd',
    "' or '1'='1",
    { $ne: null },
    { $gt: '' },
    ['a', 'b'],
    '__proto__',
    'a\u0000b',
    '',
    7,
    null,
  ].map((kid) => ({
    name: `kid injection: ${JSON.stringify(kid)}`,
    expected: HEADER_REFUSED,
    body: (cast: Cast) => signed(cast, { kid }),
  })),
  ...[
    { jwk: makeDeviceKey().jwk },
    { jku: 'http://127.0.0.1:1/keys' },
    { x5u: 'http://127.0.0.1:1/chain' },
    { x5c: [] },
    { crit: ['b64'], b64: false },
  ].map((member) => ({
    name: `key brought along: ${Object.keys(member).join(', ')}`,
    expected: HEADER_REFUSED,
    body: (cast: Cast) => signed(cast, member),
  })),
  {
    name: 'key that is not enrolled',
    expected: '200 key_unknown',
    body: (cast) => {
      const key = makeDeviceKey();
      return signed(cast, { kid: key.kid }, { key });
    },
  },
  {
    name: 'key of another operator',
    expected: '200 key_foreign',
    body: (cast) => signed(cast, { kid: cast.alice.key.kid }, { key: cast.alice.key }),
  },
  {
    name: 'kid of another operator, own signature',
    expected: '200 key_foreign',
    body: (cast) => signed(cast, { kid: cast.alice.key.kid }),
  },
  {
    name: 'own kid, signature of another key',
    expected: '200 signature_invalid',
    body: (cast) => signed(cast, {}, { key: makeDeviceKey() }),
  },
  ...([1n, 8n] as const).map((multiples) => ({
    name: `malleable: S + ${multiples} L`,
    expected: '200 signature_invalid',
    body: (cast: Cast) => signed(cast, {}, { alter: enlargeS(multiples) }),
  })),
  ...Object.entries(EDGE_R)
    // The identity in its own spelling satisfies the equation without the cofactor: only the key's owner can make one.
    .filter(([name]) => name !== 'identity')
    .map(([name, encodedR]) => ({
      name: `small order: R is ${name}`,
      expected: '200 signature_invalid',
      body: (cast: Cast) => withOddR(cast, (key, message) => signWithSmallOrderR(key, encodedR, message)),
    })),
  ...([2, 4, 8] as const).map((order) => ({
    name: `cofactor: R is r B + T, T of order ${order}`,
    expected: '200 signature_invalid',
    body: (cast: Cast) => withOddR(cast, (key, message) => signWithTorsionInR(key, order, message)),
  })),
  {
    name: 'malleable: other spelling of the same bytes',
    expected: MALFORMED,
    body: (cast) => signed(cast, {}, { alter: strayBits }),
  },
  { name: 'malleable: padding', expected: MALFORMED, body: (cast) => signed(cast, {}, { alter: (jws) => `${jws}==` }) },
  {
    name: 'tampered: one bit',
    expected: '200 signature_invalid',
    body: (cast) => signed(cast, {}, { alter: flipBit(40) }),
  },
  {
    name: 'tampered: a count',
    expected: '200 signature_invalid',
    body: (cast) => ({ ...signed(cast), output: COUNTS.output + 1 }),
  },
  {
    name: 'stale: 91 days',
    expected: '200 issued_too_long_ago',
    body: (cast) => signed(cast, { iat: cast.now - 91 * DAY_S }),
  },
  {
    name: 'stale: as_of 91 days ago',
    expected: '200 as_of_too_long_ago',
    body: (cast) => signed(cast, { as_of: cast.now - 91 * DAY_S }),
  },
  {
    name: 'future: 6 minutes',
    expected: '200 issued_in_future',
    body: (cast) => signed(cast, { iat: cast.now + 6 * MINUTE_S }),
  },
  {
    name: 'future: as_of 6 minutes ahead',
    expected: '200 as_of_in_future',
    body: (cast) => signed(cast, { as_of: cast.now + 6 * MINUTE_S }),
  },
  {
    name: 'cross-codename: a snapshot of another, caught on its way',
    expected: '400 codename_mismatch',
    body: ({ test, alice }) => test.snapshot(alice, COUNTS),
  },
  {
    name: 'cross-codename: the same under the own name',
    expected: '200 key_foreign',
    body: ({ test, alice, mallory }) => ({ ...test.snapshot(alice, COUNTS), codename: mallory.codename }),
  },
  {
    name: 'cross-codename: own name signed, that of another sent',
    expected: '400 codename_mismatch',
    body: (cast) => ({ ...signed(cast), codename: cast.alice.codename }),
  },
  {
    name: 'another kind of token: a device proof',
    expected: MALFORMED,
    body: ({ mallory, now }) => ({
      codename: mallory.codename,
      ...COUNTS,
      signature: makeDeviceProof(mallory.key, { codename: mallory.codename, iat: now }),
    }),
  },
  {
    name: 'another kind of token: its typ',
    expected: HEADER_REFUSED,
    body: (cast) => signed(cast, { typ: 'device-proof+jws' }),
  },
];

/** Status with the problem's code, or with the reason why it was not accepted. */
function outcomeOf({ status, json }: Answered): string {
  if (json?.['accepted'] === true) return `${status} accepted`;
  const errors = json?.['errors'];
  const [first]: unknown[] = Array.isArray(errors) ? errors : [];
  const specific = typeof first === 'object' && first !== null && 'code' in first ? first.code : undefined;
  return `${status} ${String(json?.['reason'] ?? specific ?? json?.['code'])}`;
}

describe('abuse: signatures, keys and tokens', () => {
  const table = createCaseTable('abuse: signatures, keys and tokens');
  let cast: Cast;

  before(async () => {
    const test = await openTestApi();
    const [mallory, alice] = [await test.operator('mallory'), await test.operator('alice')];
    cast = { test, mallory, alice, now: Math.floor(test.now / 1_000) };
  });

  after(async () => {
    table.print();
    await cast.test[Symbol.asyncDispose]();
  });

  for (const { name, expected, body } of SNAPSHOTS) {
    it(`refuses a snapshot: ${name}`, async () => {
      const answer = await cast.test.post('/api/v1/snapshots', cast.mallory.token, body(cast));
      table.note(name, outcomeOf(answer));
      expect(outcomeOf(answer)).to.equal(expected);
    });
  }

  it('counts a replayed snapshot once, and no other under its jti', async () => {
    const { test, mallory } = cast;
    const send = (body: object) => test.post('/api/v1/snapshots', mallory.token, body);
    const body = test.snapshot(mallory, { output: 7 }, { jti: 'replayed-one' });
    const [first, second] = [await send(body), await send(body)];
    expect(outcomeOf(first)).to.equal('200 accepted');
    expect(second.json).to.deep.equal(first.json);
    const other = await send(test.snapshot(mallory, { output: 8 }, { jti: 'replayed-one' }));
    expect(outcomeOf(other)).to.equal('400 jti_conflict');
    table.note('replayed: the same again', 'the first answer');
    table.note('replayed: its jti with other counts', outcomeOf(other));
  });

  it('has only accepted snapshots on the board', async () => {
    const { test, mallory, alice } = cast;
    await test.publish();
    const { json } = await test.get(`/api/v1/operators/${mallory.codename}`);
    // Υ of input 10, output 7, cache_read 300.
    expect(json).to.deep.include({ codename: 'mallory', yield_: (300 * 7) / (10 * 10) });
    expect((await test.get(`/api/v1/operators/${alice.codename}`)).json).to.deep.include({ rank: null });
  });

  for (const { name, key, acceptable } of publicKeyVectors()) {
    if (acceptable) continue;
    it(`enrols no key: ${name}`, async () => {
      const { test, mallory, now } = cast;
      const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key, 'hex').toString('base64url') };
      const proof = makeDeviceProof(mallory.key, { codename: mallory.codename, iat: now });
      const answer = await test.post('/api/v1/devices', mallory.token, { jwk, proof });
      table.note(`public key: ${name}`, outcomeOf(answer));
      expect(outcomeOf(answer)).to.equal('400 key_invalid');
    });
  }

  for (const [name, body, expected] of [
    ['proof: none of its own', proofBy(makeDeviceKey), 'proof_invalid'],
    ['proof: made for another operator', proofFor('alice', 0), 'proof_invalid'],
    ['proof: an hour old', proofFor('mallory', -3_600), 'proof_invalid'],
    ['proof: an hour ahead', proofFor('mallory', 3_600), 'proof_invalid'],
    ['proof: a snapshot signature', snapshotAsProof, 'proof_invalid'],
    ['key: enrolled by another operator', keyOfAlice, 'key_taken'],
    ['key: with its private half', withPrivateHalf, 'key_invalid'],
  ] as const) {
    it(`enrols no key: ${name}`, async () => {
      const answer = await cast.test.post('/api/v1/devices', cast.mallory.token, body(cast));
      table.note(name, outcomeOf(answer));
      expect(outcomeOf(answer)).to.equal(`400 ${expected}`);
    });
  }

  for (const [name, forge] of TOKENS) {
    it(`refuses a token: ${name}`, async () => {
      const token = await forge(cast);
      const answer = await cast.test.get('/api/v1/me', { authorization: `Bearer ${token}` });
      table.note(`access token: ${name}`, outcomeOf(answer));
      expect(outcomeOf(answer)).to.equal('401 token_invalid');
    });
  }
});

function proofBy(make: () => TestDeviceKey): (cast: Cast) => object {
  return ({ mallory, now }) => ({
    jwk: make().jwk,
    proof: makeDeviceProof(mallory.key, { codename: mallory.codename, iat: now }),
  });
}

function proofFor(codename: string, offsetS: number): (cast: Cast) => object {
  return ({ now }) => {
    const key = makeDeviceKey();
    return { jwk: key.jwk, proof: makeDeviceProof(key, { codename, iat: now + offsetS }) };
  };
}

function snapshotAsProof({ mallory, now }: Cast): object {
  const key = makeDeviceKey();
  const proof = makeDeviceProof(key, { codename: mallory.codename, iat: now }, { typ: 'snapshot+jws' });
  return { jwk: key.jwk, proof };
}

function keyOfAlice({ alice, mallory, now }: Cast): object {
  return { jwk: alice.key.jwk, proof: makeDeviceProof(alice.key, { codename: mallory.codename, iat: now }) };
}

function withPrivateHalf({ mallory, now }: Cast): object {
  const key = makeDeviceKey();
  const proof = makeDeviceProof(key, { codename: mallory.codename, iat: now });
  return { jwk: { ...key.jwk, d: key.seed.toString('base64url') }, proof };
}

import { sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { readPublicKey } from '../../../engine/accounts/devices/read-public-key.ts';
import { verifyDeviceProof } from '../../../engine/accounts/devices/verify-device-proof.ts';
import { base64url, makeDeviceProof, namedDeviceKey } from '../../support/signing.ts';
import type { PublicKeyVector } from '../../vectors/vector-types.ts';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const IAT = NOW / 1_000;
const key = namedDeviceKey('own');
const enrolled = { jwk: key.jwk, kid: key.kid };

describe('readPublicKey', () => {
  it('gives the RFC 7638 thumbprint, and leaves other members out', async () => {
    expect(await readPublicKey({ ...key.jwk, kid: 'mine', use: 'sig', alg: 'EdDSA' })).to.deep.equal(enrolled);
  });

  const { x } = key;
  const refused: readonly unknown[] = [
    undefined,
    null,
    'text',
    [],
    {},
    { ...key.jwk, d: key.seed.toString('base64url') },
    { ...key.jwk, kty: 'EC' },
    { ...key.jwk, crv: 'X25519' },
    { ...key.jwk, x: undefined },
    { ...key.jwk, x: `${x}=` },
    { ...key.jwk, x: x.slice(1) },
    { ...key.jwk, x: [x] },
    { kty: 'RSA', n: x, e: 'AQAB' },
    { kty: 'oct', k: x },
    { ...key.jwk, x: `${'A'.repeat(42)}B` },
  ];
  for (const jwk of refused) {
    it(`refuses ${JSON.stringify(jwk)}`, async () => {
      expect(await readPublicKey(jwk)).to.equal(null);
    });
  }

  const vectors: readonly PublicKeyVector[] = JSON.parse(
    readFileSync(new URL('../../vectors/public-keys.json', import.meta.url), 'utf8'),
  );
  for (const { name, key: hex, acceptable } of vectors) {
    it(`${acceptable ? 'accepts' : 'refuses'} ${name}`, async () => {
      const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(hex, 'hex').toString('base64url') };
      expect((await readPublicKey(jwk)) !== null).to.equal(acceptable);
    });
  }
});

describe('verifyDeviceProof', () => {
  const expectation = { codename: 'sample-fox', now: NOW };
  const claims = { codename: 'sample-fox', iat: IAT };

  const accepted: readonly (readonly [name: string, proof: string])[] = [
    ['the plain proof', makeDeviceProof(key, claims)],
    ['the codename in other letters', makeDeviceProof(key, { ...claims, codename: 'Sample-FOX' })],
    ['its own kid', makeDeviceProof(key, claims, { kid: key.kid })],
    ['iat exactly 5 minutes ahead', makeDeviceProof(key, { ...claims, iat: IAT + 300 })],
    ['iat exactly 5 minutes ago', makeDeviceProof(key, { ...claims, iat: IAT - 300 })],
  ];
  for (const [name, proof] of accepted) {
    it(`accepts ${name}`, async () => {
      expect(await verifyDeviceProof(proof, enrolled, expectation)).to.equal(null);
    });
  }

  const good = makeDeviceProof(key, claims);
  const [header = '', payload = '', signature = ''] = good.split('.');
  const signedAs = (payloadText: string): string => {
    const signed = `${base64url('{"alg":"EdDSA","typ":"device-proof+jws"}')}.${base64url(payloadText)}`;
    return `${signed}.${sign(null, Buffer.from(signed), key.privateKey).toString('base64url')}`;
  };
  const refused: readonly (readonly [name: string, proof: string, detail: RegExp])[] = [
    ['no JWS', 'sample', /not a compact JWS/],
    ['nothing', '', /not a compact JWS/],
    ['a detached payload', `${header}..${signature}`, /not a compact JWS/],
    ['another key', makeDeviceProof(namedDeviceKey('second'), claims), /not a compact JWS/],
    ['another payload', `${header}.${base64url('{"codename":"sample-owl"}')}.${signature}`, /not a compact JWS/],
    ['a cut signature', good.slice(0, -2), /not a compact JWS/],
    ['alg none', `${base64url('{"alg":"none","typ":"device-proof+jws"}')}.${payload}.`, /not a compact JWS/],
    ['alg Ed25519', makeDeviceProof(key, claims, { alg: 'Ed25519' }), /not a compact JWS/],
    ['alg HS256', makeDeviceProof(key, claims, { alg: 'HS256' }), /not a compact JWS/],
    ['crit of an unknown member', makeDeviceProof(key, claims, { crit: ['exp'], exp: 1 }), /not a compact JWS/],
    ['b64', makeDeviceProof(key, claims, { b64: true }), /member b64/],
    ['crit of b64', makeDeviceProof(key, claims, { b64: true, crit: ['b64'] }), /member crit/],
    ['a key in its header', makeDeviceProof(key, claims, { jwk: key.jwk }), /member jwk/],
    ['another typ', makeDeviceProof(key, claims, { typ: 'snapshot+jws' }), /typ device-proof/],
    ['no typ', makeDeviceProof(key, claims, { typ: undefined }), /typ device-proof/],
    ['the kid of another key', makeDeviceProof(key, claims, { kid: namedDeviceKey('second').kid }), /another key/],
    ['another codename', makeDeviceProof(key, { ...claims, codename: 'sample-owl' }), /another codename/],
    ['iat too far ahead', makeDeviceProof(key, { ...claims, iat: IAT + 301 }), /2026-03-01T12:00:00\.000Z/],
    ['iat too long ago', makeDeviceProof(key, { ...claims, iat: IAT - 301 }), /2026-03-01T12:00:00\.000Z/],
    ['iat in milliseconds', makeDeviceProof(key, { ...claims, iat: NOW }), /5 minutes/],
    ['iat with a fraction', makeDeviceProof(key, { ...claims, iat: IAT + 0.5 }), /must be over/],
    ['claims that are not JSON', signedAs('{'), /must be over/],
    ['claims that are null', signedAs('null'), /must be over/],
    ['claims without a codename', signedAs(`{"iat":${IAT}}`), /must be over/],
    ['claims without iat', signedAs('{"codename":"sample-fox"}'), /must be over/],
    ['iat as text', signedAs(`{"codename":"sample-fox","iat":"${IAT}"}`), /must be over/],
  ];
  for (const [name, proof, detail] of refused) {
    it(`refuses ${name}`, async () => {
      expect(await verifyDeviceProof(proof, enrolled, expectation)).to.match(detail);
    });
  }
});

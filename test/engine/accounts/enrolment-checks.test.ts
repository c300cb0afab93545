import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { readPublicKey } from '../../../engine/accounts/devices/read-public-key.ts';
import { verifyDeviceProof } from '../../../engine/accounts/devices/verify-device-proof.ts';
import { makeDeviceProof, namedDeviceKey, thumbprintOf } from '../../support/signing.ts';
import type { DeviceProofVector, PublicKeyVector } from '../../vectors/vector-types.ts';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const key = namedDeviceKey('own');
const enrolled = { jwk: key.jwk, kid: key.kid };

function read(name: string): string {
  return readFileSync(new URL(`../../vectors/${name}`, import.meta.url), 'utf8');
}

const publicKeys: readonly PublicKeyVector[] = JSON.parse(read('public-keys.json'));
const proofs: readonly DeviceProofVector[] = JSON.parse(read('device-proofs.json'));

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

  for (const { name, key: hex, acceptable } of publicKeys) {
    it(`${acceptable ? 'accepts' : 'refuses'} ${name}`, async () => {
      const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(hex, 'hex').toString('base64url') };
      expect((await readPublicKey(jwk)) !== null).to.equal(acceptable);
    });
  }
});

describe('verifyDeviceProof', () => {
  for (const { name, codename, x, received_at, proof, accepted } of proofs) {
    it(`${accepted ? 'accepts' : 'refuses'} ${name}`, async () => {
      const owner = { jwk: { kty: 'OKP', crv: 'Ed25519', x }, kid: thumbprintOf(x) } as const;
      const fault = await verifyDeviceProof(proof, owner, { codename, now: Date.parse(received_at) });
      expect(fault === null, fault ?? 'accepted').to.equal(accepted);
    });
  }

  it("states the server's time when the client's clock is wrong", async () => {
    const proof = makeDeviceProof(key, { codename: 'sample-fox', iat: NOW / 1_000 + 301 });
    const fault = await verifyDeviceProof(proof, enrolled, { codename: 'sample-fox', now: NOW });
    expect(fault).to.include('2026-03-01T12:00:00.000Z');
  });
});

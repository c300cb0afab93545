import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { readPublicKey } from '../../../../engine/accounts/devices/read-public-key.ts';
import { namedDeviceKey } from '../../../support/signing.ts';
import type { PublicKeyVector } from '../../../vectors/vector-types.ts';

const key = namedDeviceKey('own');
const enrolled = { jwk: key.jwk, kid: key.kid };

const publicKeys: readonly PublicKeyVector[] = JSON.parse(
  readFileSync(new URL('../../../vectors/public-keys.json', import.meta.url), 'utf8'),
);

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

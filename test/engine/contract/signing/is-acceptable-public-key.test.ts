import { createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { isAcceptablePublicKey } from '../../../../engine/contract/signing/index.ts';
import type { PublicKeyVector } from '../../../vectors/vector-types.ts';

const FIELD_ORDER = (1n << 255n) - 19n;
/** d of the curve −x² + y² = 1 + d·x²·y² (RFC 8032, section 5.1). */
const CURVE_D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

const vectors: readonly PublicKeyVector[] = JSON.parse(
  readFileSync(new URL('../../../vectors/public-keys.json', import.meta.url), 'utf8'),
);

describe('isAcceptablePublicKey', () => {
  for (const { name, key, acceptable } of vectors) {
    it(`${acceptable ? 'accepts' : 'refuses'} ${name}`, () => {
      expect(isAcceptablePublicKey(Buffer.from(key, 'hex'))).to.equal(acceptable);
    });
  }

  it('refuses both y of order 8: they solve d·y⁴ + 2·y² = 1', () => {
    for (const { key } of vectors.filter(({ name }) => /^order 8, (first|second)$/.test(name))) {
      const y = BigInt(`0x${Buffer.from(key, 'hex').reverse().toString('hex')}`);
      const square = (y * y) % FIELD_ORDER;
      expect((CURVE_D * square * square + 2n * square) % FIELD_ORDER).to.equal(1n);
    }
  });

  it('keeps out keys under which one signature fits every message', () => {
    const identity = vectors.find(({ name }) => name === 'order 1');
    const x = Buffer.from(identity?.key ?? '', 'hex').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    const signature = Buffer.concat([Buffer.from(identity?.key ?? '', 'hex'), Buffer.alloc(32)]);
    expect(['one message', 'another'].map((text) => verify(null, Buffer.from(text), key, signature))).to.deep.equal([
      true,
      true,
    ]);
  });
});

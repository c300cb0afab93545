import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import sodium from 'sodium-native';
import { verifySignature } from '../../../../../engine/ranking/ingest/verification/verify-signature.ts';
import { makeDeviceKey, namedDeviceKey } from '../../../../support/signing.ts';
import {
  EDGE_R,
  signWithSmallOrderR,
  signWithTorsionInR,
  verifyWithCofactor,
  withLargerS,
} from '../../../../vectors/edge-signatures.ts';
import { publicKeyVectors } from '../../../../vectors/public-key-vectors.ts';

/** The reference result of node:crypto. */
function decided(message: Buffer, key: string, signature: Buffer): boolean {
  try {
    return verify(null, message, publicKeyOf(key), signature);
  } catch {
    return false;
  }
}

const publicKeys = new Map<string, KeyObject>();

function publicKeyOf(x: string): KeyObject {
  const publicKey = publicKeys.get(x) ?? createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  publicKeys.set(x, publicKey);
  return publicKey;
}

const seed = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));
const message = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));

describe('verifySignature', () => {
  it('accepts every honest signature, and none with a changed bit', () => {
    fc.assert(
      fc.property(seed, message, fc.nat(511), (seedBytes, text, bit) => {
        const key = makeDeviceKey(seedBytes);
        const signature = sign(null, text, key.privateKey);
        expect(verifySignature(text, key.x, signature)).to.equal(true);
        signature.writeUInt8(signature.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        expect(verifySignature(text, key.x, signature)).to.equal(false);
      }),
      { numRuns: 100 },
    );
  });

  it('agrees with node:crypto on unusual commitments and scalars', () => {
    const key = namedDeviceKey('first');
    const text = Buffer.from('a message');
    const honest = sign(null, text, key.privateKey);
    const odd = [
      ...Object.values(EDGE_R).map((r) => signWithSmallOrderR(key, r, text)),
      withLargerS(honest, 1n),
      withLargerS(honest, 8n),
      Buffer.concat([honest, Buffer.of(0)]),
      honest.subarray(0, 63),
      Buffer.alloc(64),
      Buffer.alloc(64, 0xff),
    ];
    const answers = odd.map((signature) => verifySignature(text, key.x, signature));
    expect(answers).to.deep.equal(odd.map((signature) => decided(text, key.x, signature)));
    expect(answers).to.include(true);
  });

  for (const order of [2, 4, 8] as const) {
    it(`refuses R = rB + T, T of order ${order}, with either library, which only cofactored verification would accept`, () => {
      for (const name of ['first', 'second', 'third']) {
        const key = namedDeviceKey(name);
        const text = Buffer.from(`a message of ${name}`);
        const fits = (signature: Buffer) => [
          sodium.crypto_sign_verify_detached(signature, text, Buffer.from(key.x, 'base64url')),
          decided(text, key.x, signature),
          verifySignature(text, key.x, signature),
        ];
        // The same construction with the identity for T gives an honest signature.
        expect(fits(signWithTorsionInR(key, 1, text))).to.deep.equal([true, true, true]);
        const signature = signWithTorsionInR(key, order, text);
        expect(verifyWithCofactor(key, signature, text)).to.equal(true);
        expect(fits(signature)).to.deep.equal([false, false, false]);
      }
    });
  }

  it('agrees with node:crypto under keys that cannot be enrolled', () => {
    const commitments = [...Object.values(EDGE_R), ...publicKeyVectors().map(({ key }) => key)]
      .map((hex) => Buffer.from(hex, 'hex'))
      .filter(({ length }) => length === 32);
    const texts = Array.from({ length: 8 }, (_, index) => Buffer.from(`message ${index}`));
    const differing: string[] = [];
    let fitting = 0;
    for (const { key } of publicKeyVectors()) {
      const x = Buffer.from(key, 'hex').toString('base64url');
      for (const r of commitments) {
        for (const s of [0, 1, 2]) {
          const signature = Buffer.concat([r, Buffer.of(s), Buffer.alloc(31)]);
          for (const text of texts) {
            const fits = verifySignature(text, x, signature);
            if (fits !== decided(text, x, signature)) differing.push(`key ${key}, R ${r.toString('hex')}, S ${s}`);
            fitting += fits ? 1 : 0;
          }
        }
      }
    }
    expect(differing, 'signatures on which the two differ').to.deep.equal([]);
    expect(fitting, 'a small-order key that some signature fits').to.be.greaterThan(0);
  });

  it('is false for an invalid key', () => {
    const { privateKey } = namedDeviceKey('first');
    const text = Buffer.from('a message');
    for (const key of ['', 'AAAA', 'sample'])
      expect(verifySignature(text, key, sign(null, text, privateKey))).to.equal(false);
  });
});

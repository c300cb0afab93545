import { expect } from 'chai';
import { publicKeyObject } from '../../../../engine/ranking/verification/public-key-objects.ts';
import { namedDeviceKey } from '../../../support/signing.ts';

describe('publicKeyObject', () => {
  const { x } = namedDeviceKey('first');

  it('gives the key of the text, and the same object while it is kept', () => {
    const key = publicKeyObject(x);
    expect(key?.export({ format: 'jwk' })).to.deep.equal({ kty: 'OKP', crv: 'Ed25519', x });
    expect(publicKeyObject(x)).to.equal(key);
  });

  it('forgets the least recently used, and gives an equal key again', () => {
    const key = publicKeyObject(x);
    for (let index = 0; index < 9_000; index += 1) {
      const bytes = Buffer.alloc(32);
      bytes.writeUInt32LE(index);
      publicKeyObject(bytes.toString('base64url'));
    }
    const again = publicKeyObject(x);
    expect(again).not.to.equal(key);
    expect(key !== null && again?.equals(key)).to.equal(true);
  });

  it('is null for what is no key', () => {
    expect(['', 'AAAA', 'sample'].map(publicKeyObject)).to.deep.equal([null, null, null]);
  });
});

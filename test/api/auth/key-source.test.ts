import { expect } from 'chai';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { createKeySource, type KeySource } from '../../../api/auth/key-source.ts';
import { MINUTE_MS } from '../../../config/units.ts';

async function publicKey(kid: string): Promise<JWK> {
  const { publicKey: key } = await generateKeyPair('EdDSA', { extractable: true });
  return { ...(await exportJWK(key)), kid, alg: 'EdDSA' };
}

/** `found`, or the error. */
async function lookUp(source: KeySource, kid: string): Promise<string> {
  try {
    await source({ alg: 'EdDSA', kid }, { payload: '', signature: '' });
    return 'found';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const UNKNOWN = 'no applicable key found in the JSON Web Key Set';

describe('the keys of access tokens', () => {
  let first: JWK;
  let second: JWK;

  before(async () => {
    [first, second] = await Promise.all([publicKey('first'), publicKey('second')]);
  });

  let now: number;
  let published: JWK[];
  let reads: number;
  let isDown: boolean;
  let source: KeySource;

  beforeEach(() => {
    now = 100 * MINUTE_MS;
    published = [first];
    reads = 0;
    isDown = false;
    const read = async () => {
      reads += 1;
      if (isDown) throw new Error('no primary');
      return { keys: published };
    };
    source = createKeySource(read, () => now);
  });

  for (const [what, passed] of [
    ['five minutes', 5 * MINUTE_MS],
    ['a clock that was set back', -5 * MINUTE_MS],
  ] as const) {
    it(`are read again after ${what}, so a withdrawn key ends`, async () => {
      expect(await lookUp(source, 'first')).to.equal('found');
      published = [second];
      now += passed - Math.sign(passed);
      expect([await lookUp(source, 'first'), reads]).to.deep.equal(['found', 1]);
      now += Math.sign(passed);
      expect([await lookUp(source, 'first'), reads]).to.deep.equal([UNKNOWN, 2]);
    });
  }

  it('are read again for an unknown one, but once in five seconds', async () => {
    expect(await lookUp(source, 'first')).to.equal('found');
    published = [first, second];
    now += 4_999;
    expect([await lookUp(source, 'second'), reads]).to.deep.equal([UNKNOWN, 1]);
    now += 1;
    expect([await lookUp(source, 'second'), reads]).to.deep.equal(['found', 2]);
    expect([await lookUp(source, 'third'), reads]).to.deep.equal([UNKNOWN, 2]);
  });

  it('are read once by concurrent requests, and by the next after a failure', async () => {
    isDown = true;
    const failed = await Promise.all([lookUp(source, 'first'), lookUp(source, 'first')]);
    expect([failed, reads]).to.deep.equal([['no primary', 'no primary'], 1]);
    isDown = false;
    expect([await lookUp(source, 'first'), reads]).to.deep.equal(['found', 2]);
  });
});

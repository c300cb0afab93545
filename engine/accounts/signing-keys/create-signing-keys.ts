import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { MAX_CLOCK_SKEW_MS } from '../../contract/signing/index.ts';
import { MAX_ACCESS_TOKEN_LIFETIME_S, SIGNING_KEY_RELOAD_MS } from '../limits.ts';
import type { PublicSigningKey, SigningKey, SigningKeyStore } from '../mongo/signing-key-store.ts';
import type { Clock, PublicSigningJwk, SigningKeys } from '../types.ts';
import { mintAccessToken } from './mint-access-token.ts';

/**
 * How long a key is published after its successor was made: a late user of it may mint one more of the longest tokens, and
 * verifiers allow for clocks that differ.
 */
const PUBLISHED_AFTER_USE_MS = SIGNING_KEY_RELOAD_MS + MAX_ACCESS_TOKEN_LIFETIME_S * 1_000 + MAX_CLOCK_SKEW_MS;

/** The keys of the store, numbered from 1: whoever inserts a number first made that key, so that processes agree. */
export function createSigningKeys({ store, clock }: { store: SigningKeyStore; clock: Clock }): SigningKeys {
  let known: { readonly key: SigningKey; readonly readAt: number } | null = null;

  async function readNewest(): Promise<SigningKey> {
    const readAt = clock();
    const key = (await store.newest()) ?? (await makeGeneration(1));
    known = { key, readAt };
    return key;
  }

  /** Makes the key of this number unless another process did; the newest key there is then. */
  async function makeGeneration(generation: number): Promise<SigningKey> {
    const made = await generateKey(generation, clock());
    if (await store.insert(made)) return made;
    const newest = await store.newest();
    if (newest === null) throw new Error('the signing key that another process made cannot be read');
    return newest;
  }

  async function keyInUse(): Promise<SigningKey> {
    const fresh = known !== null && Math.abs(clock() - known.readAt) < SIGNING_KEY_RELOAD_MS;
    return fresh && known !== null ? known.key : readNewest();
  }

  return {
    async jwks() {
      const stored = await store.all();
      const keys = stored.length > 0 ? stored : [await readNewest()];
      return { keys: keys.filter((_, index) => isPublished(keys, index, clock())).map(toJwk) };
    },

    async signingSet() {
      const newest = await readNewest();
      const keys = await store.all();
      return { current: newest.kid, keys: keys.filter((_, index) => isPublished(keys, index, clock())) };
    },

    async rotate() {
      const newest = await readNewest();
      const key = await makeGeneration(newest.generation + 1);
      known = { key, readAt: clock() };
      const keys = await store.all();
      const outlived = keys.filter((_, index) => !isPublished(keys, index, clock()));
      await store.forget(outlived.map(({ generation }) => generation));
      return { kid: key.kid };
    },

    async mintAccessToken(request) {
      return mintAccessToken(await keyInUse(), clock(), request);
    },
  };
}

async function generateKey(generation: number, now: number): Promise<SigningKey> {
  // Encoded while it is made: exporting a key object whose generator is being collected deadlocks Node 20.
  const { privateKey: encoded } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { format: 'der', type: 'pkcs8' },
    publicKeyEncoding: { format: 'der', type: 'spki' },
  });
  const privateKey = createPrivateKey({ key: encoded, format: 'der', type: 'pkcs8' });
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' });
  if (jwk.x === undefined) throw new Error('the generated key has no public part');
  const kid = await calculateJwkThumbprint({ kty: 'OKP', crv: 'Ed25519', x: jwk.x });
  return { generation, kid, x: jwk.x, createdAt: new Date(now), privateKey };
}

/** Whether a token signed by the key may still be valid. `keys` are newest first; a key's successor stands before it. */
function isPublished(keys: readonly PublicSigningKey[], index: number, now: number): boolean {
  const successor = keys[index - 1];
  return successor === undefined || now <= successor.createdAt.getTime() + PUBLISHED_AFTER_USE_MS;
}

function toJwk({ kid, x }: PublicSigningKey): PublicSigningJwk {
  return { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid, x };
}

import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { MAX_CLOCK_SKEW_MS } from '../../contract/signing/index.ts';
import { MAX_ACCESS_TOKEN_LIFETIME_S, SIGNING_KEY_RELOAD_MS } from '../limits.ts';
import type { PublicSigningKey, SigningKey, SigningKeyStore } from '../mongo/signing-key-store.ts';
import type { Clock, PublicSigningJwk, SigningKeys } from '../types.ts';
import { mintAccessToken } from './mint-access-token.ts';

/**
 * How long a key is published after its successor was created: a process may sign one more token with it before it reloads,
 * and verifiers accept clock skew.
 */
const PUBLISHED_AFTER_USE_MS = SIGNING_KEY_RELOAD_MS + MAX_ACCESS_TOKEN_LIFETIME_S * 1_000 + MAX_CLOCK_SKEW_MS;

/** Signing keys, numbered from 1. The first process to insert a number creates that key, so all processes agree. */
export function createSigningKeys({ store, clock }: { store: SigningKeyStore; clock: Clock }): SigningKeys {
  let known: { readonly key: SigningKey; readonly readAt: number } | null = null;

  async function readNewest(): Promise<SigningKey> {
    const readAt = clock();
    const key = (await store.newest()) ?? (await createGeneration(1));
    known = { key, readAt };
    return key;
  }

  /** Creates the key of this number; when another process was first, returns the newest key. */
  async function createGeneration(generation: number): Promise<SigningKey> {
    const generated = await generateKey(generation, clock());
    if (await store.insert(generated)) return generated;
    const newest = await store.newest();
    if (newest === null) throw new Error('the signing key that another process created cannot be read');
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
      const key = await createGeneration(newest.generation + 1);
      known = { key, readAt: clock() };
      const keys = await store.all();
      const retired = keys.filter((_, index) => !isPublished(keys, index, clock()));
      await store.forget(retired.map(({ generation }) => generation));
      return { kid: key.kid };
    },

    async mintAccessToken(request) {
      return mintAccessToken(await keyInUse(), clock(), request);
    },
  };
}

async function generateKey(generation: number, now: number): Promise<SigningKey> {
  // Encoded by the generator: exporting a key object while its generator is garbage collected deadlocks Node 20.
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

/** Whether a token signed by the key may still be valid. `keys` are newest first, so a key's successor precedes it. */
function isPublished(keys: readonly PublicSigningKey[], index: number, now: number): boolean {
  const successor = keys[index - 1];
  return successor === undefined || now <= successor.createdAt.getTime() + PUBLISHED_AFTER_USE_MS;
}

function toJwk({ kid, x }: PublicSigningKey): PublicSigningJwk {
  return { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid, x };
}

import { createPrivateKey, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { CompactSign, calculateJwkThumbprint } from 'jose';
import { MS_PER_SECOND } from '../../config/units.ts';
import { MAX_CLOCK_SKEW_MS } from '../contract/signing/index.ts';
import { insertUnlessTaken } from '../mongo/index.ts';
import { MAX_ACCESS_TOKEN_LIFETIME_S, SIGNING_KEY_RELOAD_MS } from './limits.ts';
import type { KeyCollection } from './mongo/secret-records.ts';
import type { AccountParts } from './open-parts.ts';

/** The `client_id` of tokens minted by operator commands. */
export const OPERATOR_COMMANDS_CLIENT = 'upsilon-ops';

/** A process may sign once more before it reloads, and verifiers accept clock skew. */
const PUBLISHED_AFTER_USE_MS = SIGNING_KEY_RELOAD_MS + MAX_ACCESS_TOKEN_LIFETIME_S * 1_000 + MAX_CLOCK_SKEW_MS;

/** The claims of an access token (RFC 9068). */
interface AccessTokenRequest {
  readonly subject: string;
  /** Space-separated. */
  readonly scope: string;
  readonly audience: string;
  readonly issuer: string;
  /** Whole seconds, 1 to `MAX_ACCESS_TOKEN_LIFETIME_S`. */
  readonly lifetimeSeconds: number;
  /** The client that the token is issued to. */
  readonly clientId?: string | undefined;
}

/** Generations count from 1; the highest signs. The private part is a key object, which JSON and the inspector do not print. */
type SigningKey = Awaited<ReturnType<typeof generateKey>>;

export type SigningKeys = ReturnType<typeof createSigningKeys>;

export type SigningSet = Awaited<ReturnType<SigningKeys['signingSet']>>;

export type ArchiveKeys = ReturnType<typeof createArchiveKeys>;

type KeyParts = Pick<AccountParts, 'models' | 'secretRecords' | 'audit' | 'clock'>;

/** The keys of access tokens. */
export function createSigningKeys(parts: KeyParts) {
  const { sign, ...keys } = createKeySet(parts, 'signing_keys', PUBLISHED_AFTER_USE_MS);
  return {
    ...keys,
    /** A JWT access token (RFC 9068). @throws RangeError when the lifetime is out of bounds. */
    mintAccessToken: async (request: AccessTokenRequest) => sign('at+jwt', claimsOf(parts.clock(), request)),
  };
}

/** The keys of the daily archive. They are published for good: what they signed stays. */
export const createArchiveKeys = (parts: KeyParts) => createKeySet(parts, 'archive_keys', Number.POSITIVE_INFINITY);

/**
 * A set of signing keys, numbered from 1. The first process to insert a number creates that key, so all processes agree. A key is
 * published while it signs and `publishedMs` after it was replaced.
 */
function createKeySet(parts: KeyParts, collection: KeyCollection, publishedMs: number) {
  const { audit, clock } = parts;
  const store = createKeyStore(parts, collection);
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

  /** The keys of unexpired tokens, newest first: a key's successor precedes it. */
  async function published(): Promise<readonly SigningKey[]> {
    const stored = await store.all();
    const keys = stored.length > 0 ? stored : [await readNewest()];
    return keys.filter((_, index) => isPublished(keys, index, clock() - publishedMs));
  }

  return {
    /** A compact JWS: the same content under the same key gives the same. */
    sign: async (typ: string, content: object): Promise<string> => {
      const { kid, privateKey } = await keyInUse();
      const signing = new CompactSign(Buffer.from(JSON.stringify(content)));
      return signing.setProtectedHeader({ alg: 'EdDSA', typ, kid }).sign(privateKey);
    },

    /** The public keys (RFC 7517). The first call creates the first key. */
    jwks: async () => ({
      keys: (await published()).map(
        ({ kid, x }) => ({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid, x }) as const,
      ),
    }),

    /** The keys that the authorization server signs with and publishes, newest first, and the `kid` of the one in use. */
    async signingSet() {
      const newest = await readNewest();
      return { current: newest.kid, keys: await published() };
    },

    /** Puts a new key in use, in this process at once and in others within `SIGNING_KEY_RELOAD_MS`. */
    async rotate(): Promise<{ readonly kid: string }> {
      const newest = await readNewest();
      const key = await createGeneration(newest.generation + 1);
      known = { key, readAt: clock() };
      const keys = await store.all();
      const retired = keys.filter((_, index) => !isPublished(keys, index, clock() - publishedMs));
      await store.forget(retired.map(({ generation }) => generation));
      const { kid } = key;
      const detail = { kid, set: collection };
      await audit.record({ kind: 'signing_key_rotated', operator: null, client: null, detail });
      return { kid };
    },
  };
}

/** The keys as stored in MongoDB. */
function createKeyStore({ models, secretRecords }: KeyParts, collection: KeyCollection) {
  const stored = models[collection === 'signing_keys' ? 'signingKeys' : 'archiveKeys'];
  /** Newest first. */
  async function all(limit = 0): Promise<readonly SigningKey[]> {
    return (await stored.find().sort({ _id: -1 }).limit(limit).lean()).map((document) => {
      const { _id, kid, x, created_at } = document;
      const key = secretRecords.open(collection, document);
      const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
      return { generation: _id, kid, x, createdAt: created_at, privateKey };
    });
  }

  return {
    all,

    newest: async (): Promise<SigningKey | null> => (await all(1))[0] ?? null,

    /** False when another process created this generation. */
    insert({ generation, kid, x, createdAt, privateKey }: SigningKey): Promise<boolean> {
      const document = { _id: generation, kid, x, created_at: createdAt };
      const der = privateKey.export({ format: 'der', type: 'pkcs8' });
      const member = secretRecords.seal(collection, document, der);
      return insertUnlessTaken(() => stored.insertOne({ ...document, ...member }));
    },

    async forget(generations: readonly number[]): Promise<void> {
      await stored.deleteMany({ _id: { $in: [...generations] } });
    },
  };
}

async function generateKey(generation: number, now: number) {
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

/** Whether a key was in use at or after `since`. `keys` are newest first, so a key's successor precedes it. */
function isPublished(keys: readonly SigningKey[], index: number, since: number): boolean {
  const successor = keys[index - 1];
  return successor === undefined || since <= successor.createdAt.getTime();
}

function claimsOf(now: number, request: AccessTokenRequest): object {
  const { subject, scope, audience, issuer, lifetimeSeconds, clientId = OPERATOR_COMMANDS_CLIENT } = request;
  const inBounds = lifetimeSeconds >= 1 && lifetimeSeconds <= MAX_ACCESS_TOKEN_LIFETIME_S;
  if (!Number.isInteger(lifetimeSeconds) || !inBounds) {
    throw new RangeError(`the lifetime of an access token is 1 to ${MAX_ACCESS_TOKEN_LIFETIME_S} whole seconds`);
  }
  const iat = Math.floor(now / MS_PER_SECOND);
  const times = { iat, exp: iat + lifetimeSeconds };
  return { client_id: clientId, scope, iss: issuer, aud: audience, sub: subject, jti: randomUUID(), ...times };
}

import { createLocalJWKSet, createRemoteJWKSet, errors, type JWK, type JWTVerifyGetKey } from 'jose';
import * as z from 'zod';
import type { Clock } from '../../engine/ranking/index.ts';

/** Finds the key that a token names. Throws jose's errors. */
export type KeySource = JWTVerifyGetKey;

/** Least time between two reads of our own keys because of tokens that name an unknown one, in milliseconds. */
const REFRESH_COOLDOWN_MS = 5_000;

/** Time after which our own keys are read again in any case, in milliseconds: a withdrawn key stops working. */
const REFRESH_AFTER_MS = 300_000;

/** Longest wait for the document in which an issuer says where its keys are, in milliseconds. */
const DISCOVERY_WITHIN_MS = 5_000;

const DISCOVERY_PATH = '/.well-known/openid-configuration';

const METADATA = z.object({ issuer: z.string(), jwks_uri: z.url() });

/**
 * Keys of another identity provider, followed over HTTP with jose's own caching. `jwksUrl` is their address, or that of
 * the issuer's metadata (OpenID Connect Discovery 1.0), which says it and is read once.
 */
export function remoteKeySource(jwksUrl: string): KeySource {
  let keys: KeySource | null = jwksUrl.endsWith(DISCOVERY_PATH) ? null : createRemoteJWKSet(new URL(jwksUrl));
  return async (header, token) => {
    keys ??= createRemoteJWKSet(new URL(await discoverKeys(jwksUrl)));
    return keys(header, token);
  };
}

async function discoverKeys(metadataUrl: string): Promise<string> {
  const response = await fetch(metadataUrl, { signal: AbortSignal.timeout(DISCOVERY_WITHIN_MS) });
  if (!response.ok) throw new Error(`the issuer's metadata was answered with ${response.status}`);
  const { issuer, jwks_uri } = METADATA.parse(await response.json());
  const isOwn = `${issuer.replace(/\/$/, '')}${DISCOVERY_PATH}` === metadataUrl;
  if (!isOwn) throw new Error(`the metadata is that of ${issuer}`);
  return jwks_uri;
}

/** Our own keys, kept in memory and read again when a token names one that is not among them. */
export function localKeySource(read: () => Promise<{ readonly keys: readonly JWK[] }>, clock: Clock): KeySource {
  let keys: JWTVerifyGetKey | null = null;
  let readAt = 0;
  let reading: Promise<JWTVerifyGetKey> | null = null;
  const refresh = (): Promise<JWTVerifyGetKey> => {
    reading ??= read()
      .then((set) => {
        keys = createLocalJWKSet({ keys: [...set.keys] });
        readAt = clock();
        return keys;
      })
      .finally(() => {
        reading = null;
      });
    return reading;
  };
  return async (header, token) => {
    const fresh = keys !== null && Math.abs(clock() - readAt) < REFRESH_AFTER_MS;
    const current = fresh && keys !== null ? keys : await refresh();
    try {
      return await current(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || Math.abs(clock() - readAt) < REFRESH_COOLDOWN_MS) throw error;
      return (await refresh())(header, token);
    }
  };
}

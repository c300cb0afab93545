import { createLocalJWKSet, createRemoteJWKSet, errors, type JWK, type JWTVerifyGetKey } from 'jose';
import * as z from 'zod';
import { singleFlight } from '../../config/single-flight.ts';
import type { Clock } from '../../engine/ranking/index.ts';

/** Finds the key of a token by its `kid`. Throws jose's errors. */
export type KeySource = JWTVerifyGetKey;

/** Minimum time between two reads of the local keys for tokens with an unknown `kid`, in milliseconds. */
const REFRESH_COOLDOWN_MS = 5_000;

/** Time to live of the local keys, in milliseconds: after it a withdrawn key stops working. */
const REFRESH_AFTER_MS = 300_000;

/** Timeout of a read of an issuer's metadata, in milliseconds. */
const DISCOVERY_TIMEOUT_MS = 5_000;

const DISCOVERY_PATH = '/.well-known/openid-configuration';

const METADATA = z.object({ issuer: z.string(), jwks_uri: z.url() });

/**
 * Keys of an external identity provider, over HTTP with jose's caching. `jwksUrl` is the URL of the keys, or of the issuer's
 * metadata (OpenID Connect Discovery 1.0), which contains it and is read once.
 */
export function remoteKeySource(jwksUrl: string): KeySource {
  let keys: KeySource | null = jwksUrl.endsWith(DISCOVERY_PATH) ? null : createRemoteJWKSet(new URL(jwksUrl));
  return async (header, token) => {
    keys ??= createRemoteJWKSet(new URL(await discoverKeys(jwksUrl)));
    return keys(header, token);
  };
}

async function discoverKeys(metadataUrl: string): Promise<string> {
  const response = await fetch(metadataUrl, { signal: AbortSignal.timeout(DISCOVERY_TIMEOUT_MS) });
  if (!response.ok) throw new Error(`the issuer's metadata endpoint returned ${response.status}`);
  const { issuer, jwks_uri } = METADATA.parse(await response.json());
  const isOwn = `${issuer.replace(/\/$/, '')}${DISCOVERY_PATH}` === metadataUrl;
  if (!isOwn) throw new Error(`the metadata is of another issuer: ${issuer}`);
  return jwks_uri;
}

/** The service's keys, cached and read again for a token with an unknown `kid`. */
export function localKeySource(read: () => Promise<{ readonly keys: readonly JWK[] }>, clock: Clock): KeySource {
  let keys: JWTVerifyGetKey | null = null;
  let readAt = 0;
  const joinRead = singleFlight<JWTVerifyGetKey>();
  const refresh = (): Promise<JWTVerifyGetKey> =>
    joinRead(async () => {
      const set = await read();
      keys = createLocalJWKSet({ keys: [...set.keys] });
      readAt = clock();
      return keys;
    });
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

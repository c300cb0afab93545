import * as z from 'zod';
import { type Config, discoveryUrl } from '../../config/config.ts';
import { singleFlight } from '../../config/single-flight.ts';
import { JsonWebKeySet } from '../../engine/contract/index.ts';
import type { Clock } from '../../engine/ranking/index.ts';
import { Problem } from '../http/problem.ts';

/** How long a document of the provider is repeated before it is read again, in milliseconds. */
const FRESH_MS = 300_000;

const TIMEOUT_MS = 5_000;

/** The provider's metadata (OpenID Connect Discovery 1.0); its other members are repeated as they are. */
export const ProviderMetadata = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
});

/** The external identity provider, as its own documents describe it. */
export type OutsideProvider = ReturnType<typeof createOutsideProvider>;

/** Reads nothing before it is asked. A document that cannot be read again is repeated; one that was never read is a Problem. */
export function createOutsideProvider({ issuer }: Pick<Config, 'issuer'>, clock: Clock) {
  const metadata = repeat(discoveryUrl(issuer), ProviderMetadata, clock);
  const keySets = new Map<string, () => Promise<z.infer<typeof JsonWebKeySet>>>();
  return {
    metadata,
    /** Its public keys. */
    async keys() {
      const { jwks_uri } = await metadata();
      const read = keySets.get(jwks_uri) ?? repeat(jwks_uri, JsonWebKeySet, clock);
      if (!keySets.has(jwks_uri)) keySets.clear();
      keySets.set(jwks_uri, read);
      return read();
    },
  };
}

/** @throws Problem identity_provider_unavailable. */
function repeat<T>(address: string, schema: z.ZodType<T>, clock: Clock): () => Promise<T> {
  let known: { readonly document: T; readonly at: number } | null = null;
  const join = singleFlight<T>();
  const read = async (): Promise<T> => {
    try {
      const response = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (!response.ok) throw new Error(`${address} returned ${response.status}`);
      known = { document: schema.parse(await response.json()), at: clock() };
    } catch (cause) {
      if (known === null) throw new Problem('identity_provider_unavailable', { cause });
      known = { ...known, at: clock() };
    }
    return known.document;
  };
  return async () => (known !== null && Math.abs(clock() - known.at) < FRESH_MS ? known.document : join(read));
}

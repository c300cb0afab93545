import * as oauth from 'oauth4webapi';
import * as z from 'zod';
import { isLoopback } from '../../../config/public-addresses.ts';
import type { OidcConfig } from '../../../config/sign-in.ts';
import { HOUR_MS } from '../../../config/units.ts';
import type { SignedInPerson } from '../../../engine/accounts/index.ts';
import type { Clock } from '../../../engine/ranking/index.ts';
import { basicAuthentication, createUpstream, requestsTo, type Upstream, type UpstreamServer } from './upstream.ts';

/** How long metadata are used before they are read again, in milliseconds. */
const METADATA_FRESH_MS = HOUR_MS;

/** Characters of the longest subject: OpenID Connect Core 1.0, section 2. */
const MAX_SUBJECT_LENGTH = 255;

/** Characters of a label. */
const MAX_LABEL_LENGTH = 100;

const ENDPOINT = z
  .url()
  .refine((address) => address.startsWith('https:') || isLoopback(address), 'is neither https nor on this machine');

/** Members of the metadata (OpenID Connect Discovery 1.0) that are used here. */
const METADATA = z.object({
  authorization_endpoint: ENDPOINT,
  token_endpoint: ENDPOINT,
  jwks_uri: ENDPOINT,
  userinfo_endpoint: ENDPOINT.exactOptional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).default(['client_secret_basic']),
});

const TEXT = z.string().min(1).optional().catch(undefined);

/** Claims of an ID token and of the UserInfo endpoint. */
const CLAIMS = z.object({
  sub: z.string().min(1).max(MAX_SUBJECT_LENGTH),
  email: TEXT,
  email_verified: z.boolean().optional().catch(undefined),
  preferred_username: TEXT,
  name: TEXT,
});

/**
 * Sign-in with a provider of OpenID Connect. A person is identified by issuer and subject, never by an address. The library checks
 * the ID token's issuer, audience, nonce and times; its signature is checked with the keys that the provider publishes.
 */
export function createOidc(
  { issuer, clientId, clientSecret, name: title }: OidcConfig,
  redirectUri: string,
  clock: Clock,
): Upstream {
  const client: oauth.Client = { client_id: clientId };
  const keys: oauth.JWKSCacheInput = {};
  return createUpstream(
    {
      name: 'oidc',
      title,
      client,
      scope: 'openid profile email',
      server: createMetadata(issuer, clock),
      origin: null,
      authentication: ({ token_endpoint_auth_methods_supported: methods }) =>
        methods?.includes('client_secret_basic') === true
          ? basicAuthentication(clientId, clientSecret)
          : oauth.ClientSecretPost(clientSecret),
      async person(server, response, nonce) {
        const expected = { expectedNonce: nonce, requireIdToken: true };
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, expected);
        await oauth.validateApplicationLevelSignature(server, response, {
          ...requestsTo(server),
          [oauth.jwksCache]: keys,
        });
        const claims = CLAIMS.parse(oauth.getValidatedIdTokenClaims(tokens));
        if (server.userinfo_endpoint === undefined) return personOf(server.issuer, claims);
        const info = await oauth.userInfoRequest(server, client, tokens.access_token, requestsTo(server));
        const more = await oauth.processUserInfoResponse(server, client, claims.sub, info);
        return personOf(server.issuer, CLAIMS.parse({ ...claims, ...more }));
      },
    },
    redirectUri,
  );
}

/** Reads the metadata of an issuer, and again when they are no longer fresh. */
function createMetadata(issuer: string, clock: Clock): () => Promise<UpstreamServer> {
  let known: UpstreamServer | null = null;
  let readAt = 0;
  return async () => {
    if (known !== null && Math.abs(clock() - readAt) < METADATA_FRESH_MS) return known;
    const expected = new URL(issuer);
    const response = await oauth.discoveryRequest(expected, requestsTo({ issuer }));
    const server = await oauth.processDiscoveryResponse(expected, response);
    known = { ...server, ...METADATA.parse(server) };
    readAt = clock();
    return known;
  };
}

function personOf(issuer: string, claims: z.infer<typeof CLAIMS>): Omit<SignedInPerson, 'provider'> {
  const { sub, email, email_verified: isVerified, preferred_username: username, name } = claims;
  const label = (username ?? email ?? name ?? sub).replaceAll(/\s+/g, ' ').slice(0, MAX_LABEL_LENGTH);
  return { subject: `${issuer}|${sub}`, label, verifiedEmail: isVerified === true ? (email ?? null) : null };
}

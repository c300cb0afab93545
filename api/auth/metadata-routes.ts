import { VERSION } from '../../cli/src/version.ts';
import { JsonWebKeySet, ProtectedResource } from '../../engine/contract/index.ts';
import { type ApiContext, defineRoute } from '../context/api-context.ts';
import { fromStorage } from '../http/problem.ts';
import type { Route } from '../http/route.ts';
import { DOCUMENT_CACHE } from '../http/standard-headers.ts';
import { toolPackage } from '../tool.ts';
import { SUPPORTED_SCOPES } from './scopes.ts';

/** What the routes of documents about the service have in common. */
const METADATA = {
  method: 'get',
  tag: 'service',
  auth: 'public',
  limit: 'documents',
  cache: DOCUMENT_CACHE,
  documented: false,
} as const;

export const getKeys = defineRoute({
  ...METADATA,
  surface: 'auth',
  path: '/.well-known/jwks.json',
  operationId: 'getJsonWebKeySet',
  summary: 'Public keys of access tokens',
  description: 'RFC 7517.',
  successes: [{ status: 200, description: 'The keys.', schema: JsonWebKeySet }],
  handle: async (_input, { ctx }) => {
    const body = await fromStorage(() => ctx.accounts.jwks());
    return { kind: 'json', status: 200, body };
  },
});

/** The metadata that the WWW-Authenticate header of a 401 refers to. */
export const getProtectedResource = defineRoute({
  ...METADATA,
  surface: 'login',
  path: '/.well-known/oauth-protected-resource',
  operationId: 'getProtectedResource',
  summary: 'How to get an access token',
  description: 'RFC 9728, and the version of the command-line tool that the service offers.',
  successes: [{ status: 200, description: 'The metadata.', schema: ProtectedResource }],
  handle: (_input, { ctx: { config: addresses } }) => ({
    kind: 'json',
    status: 200,
    body: {
      resource: addresses.baseUrl,
      authorization_servers: [addresses.authUrl],
      scopes_supported: Object.keys(SUPPORTED_SCOPES),
      bearer_methods_supported: ['header'],
      resource_documentation: `${addresses.siteUrl}/developers`,
      cli_version: VERSION,
      cli_package: toolPackage(addresses),
    },
  }),
});

/** The same where clients that know only the resource's address look for it (RFC 9728, 3.1). */
export const getProtectedResourceOfBase: Route<ApiContext> = {
  ...getProtectedResource,
  surface: 'base',
  wellKnown: true,
  operationId: 'getProtectedResourceOfBase',
};

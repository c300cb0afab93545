import { SUPPORTED_SCOPES } from '../auth/scopes.ts';
import type { Addresses } from '../http/hosts.ts';
import type { Route } from '../http/route.ts';
import { operationObject } from './operation-object.ts';
import { RESPONSE_HEADERS } from './response-objects.ts';
import { namedSchemaObjects, type OpenApiObject } from './schema-objects.ts';

/** Version of the description itself: contract, part 9. */
const DESCRIPTION_VERSION = '1.0.0';

const TAGS: readonly (readonly [name: string, description: string])[] = [
  ['devices', 'Device keys that may sign your snapshots.'],
  ['billing', 'Subscriptions to a paid plan.'],
  ['me', 'Your own operator: names, and erasure.'],
  ['leaderboard', 'The ranking, readable by anyone.'],
  ['operators', 'Single operators, readable by anyone.'],
  ['premium', 'Analytics over whole boards; each request is paid with x402.'],
  ['snapshots', 'Signed token counts, sent by their operator.'],
];

/** The OpenAPI 3.0.3 description of the routes that are documented, made from the route values alone. */
export function describeApi(routes: readonly Route<never>[], addresses: Addresses): OpenApiObject {
  const paths: Record<string, OpenApiObject> = {};
  for (const route of routes.filter(({ documented }) => documented !== false)) {
    const item = (paths[route.path] ??= {});
    item[route.method] = operationObject(route);
    if (route.surface !== 'base' && route.surface !== 'every')
      item['servers'] = [{ url: addresses[`${route.surface}Url`] }];
  }
  return {
    openapi: '3.0.3',
    info: {
      title: 'Operator Leaderboard and Token Telemetry API',
      version: DESCRIPTION_VERSION,
      description: 'Ranks AI operators by Yield, from signed snapshots of four token counts.',
      license: { name: 'MIT', url: 'https://opensource.org/licenses/MIT' },
      contact: { name: 'Developer portal', url: `${addresses.siteUrl}/developers` },
    },
    servers: [{ url: addresses.baseUrl, description: 'Version 1' }],
    tags: TAGS.map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: namedSchemaObjects(),
      headers: usedHeaders(paths),
      securitySchemes: { oauth2: securityScheme(addresses) },
    },
  };
}

/** The header components that some response refers to. */
function usedHeaders(paths: Readonly<Record<string, OpenApiObject>>): OpenApiObject {
  const text = JSON.stringify(paths);
  return Object.fromEntries(
    Object.entries(RESPONSE_HEADERS).filter(([name]) => text.includes(`"#/components/headers/${name}"`)),
  );
}

function securityScheme({ authUrl }: Addresses): OpenApiObject {
  return {
    type: 'oauth2',
    description: 'A JWT access token, sent as "Authorization: Bearer <ACCESS_TOKEN>".',
    flows: {
      authorizationCode: {
        authorizationUrl: `${authUrl}/oauth/authorize`,
        tokenUrl: `${authUrl}/oauth/token`,
        refreshUrl: `${authUrl}/oauth/token`,
        scopes: SUPPORTED_SCOPES,
      },
    },
  };
}

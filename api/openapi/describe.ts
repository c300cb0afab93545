import { MS_PER_SECOND } from '../../config/units.ts';
import { ROUTES } from '../auth/authorization-server/routes.ts';
import { REQUIRED_SCOPES, SUPPORTED_SCOPES } from '../auth/scopes.ts';
import type { Addresses } from '../http/hosts.ts';
import { RATE_POLICIES } from '../http/rate-limit/rate-policy.ts';
import { type Features, type PaymentMetadata, problemsOf, type Route } from '../http/route.ts';
import { problemResponseObjects, problemResponses, RESPONSE_HEADERS, successResponse } from './response-objects.ts';
import { namedSchemaObjects, type OpenApiObject, schemaObject } from './schema-objects.ts';

/** Version of the description itself: contract, part 9. */
const DESCRIPTION_VERSION = '1.0.0';

const TAGS: readonly (readonly [name: string, description: string])[] = [
  ['devices', 'Device keys that may sign your snapshots.'],
  ['billing', 'Subscriptions to a paid plan.'],
  ['me', 'Your own operator: names, and erasure.'],
  ['leagues', 'Boards of operators who joined them.'],
  ['leaderboard', 'The ranking, readable by anyone.'],
  ['operators', 'Single operators, readable by anyone.'],
  ['premium', 'Analytics over whole boards; each request is paid with x402.'],
  ['snapshots', 'Signed token counts, sent by their operator.'],
];

/** The OpenAPI 3.0.3 description of the routes that are documented, made from the route values alone. */
export function describeApi(routes: readonly Route<never>[], addresses: Addresses & Features): OpenApiObject {
  const tokenUrl = `${addresses.authUrl}${ROUTES.token}`;
  const paths: Record<string, OpenApiObject> = {};
  const tags = new Set<string>();
  for (const route of routes.filter((one) => isDescribed(one, addresses))) {
    const item = (paths[route.path] ??= {});
    tags.add(route.tag);
    item[route.method] = operationObject(route, addresses);
    if (route.surface !== 'base' && route.surface !== 'every')
      item['servers'] = [{ url: addresses[`${route.surface}Url`] }];
  }
  const responses = usedOf('responses', problemResponseObjects(), paths);
  return {
    openapi: '3.0.3',
    info: {
      title: 'Operator Leaderboard and Token Telemetry API',
      version: DESCRIPTION_VERSION,
      description: 'Ranks AI operators by Yield, from signed snapshots of four token counts.',
      ...(addresses.termsUrl === undefined ? {} : { termsOfService: addresses.termsUrl }),
      license: { name: 'MIT', url: 'https://opensource.org/licenses/MIT' },
      contact: { name: 'Developer portal', url: `${addresses.siteUrl}/developers` },
    },
    servers: [{ url: addresses.baseUrl, description: 'Version 1' }],
    tags: TAGS.filter(([name]) => tags.has(name)).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: usedOf('schemas', namedSchemaObjects(), { paths, responses }),
      responses,
      headers: usedOf('headers', RESPONSE_HEADERS, { paths, responses }),
      securitySchemes: {
        oauth2: {
          type: 'oauth2',
          description: 'A JWT access token, sent as "Authorization: Bearer <ACCESS_TOKEN>".',
          flows: {
            authorizationCode: {
              authorizationUrl: `${addresses.authUrl}${ROUTES.authorization}`,
              tokenUrl,
              refreshUrl: tokenUrl,
              scopes: SUPPORTED_SCOPES,
            },
          },
        },
        automationToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token with the one right to submit, made and revoked on the account page.',
        },
      },
    },
  };
}

function isDescribed({ documented, offered }: Route<never>, features: Features): boolean {
  if (offered?.(features) === false) return false;
  return typeof documented === 'function' ? documented(features) : documented !== false;
}

/** The components of a kind that `users` refer to, and those that these refer to. */
function usedOf(kind: string, components: Readonly<Record<string, OpenApiObject>>, users: object): OpenApiObject {
  let text = JSON.stringify(users);
  const used = new Set<string>();
  const isNew = (name: string): boolean => !used.has(name) && text.includes(`"#/components/${kind}/${name}"`);
  for (let found = Object.keys(components); found.length > 0; ) {
    found = Object.keys(components).filter(isNew);
    for (const name of found) used.add(name);
    text = JSON.stringify(found.map((name) => components[name]));
  }
  return Object.fromEntries(Object.entries(components).filter(([name]) => used.has(name)));
}

const OFFICIAL_CLIENTS_ONLY = 'Requires a token of the official command-line tool; tokens of other apps get 403.';

/** An operation of the description. */
function operationObject(route: Route<never>, features: Addresses & Features): OpenApiObject {
  const payment = route.payment?.(features) ?? null;
  const parameters = [...parameterObjects(route, 'path'), ...parameterObjects(route, 'query')];
  return {
    operationId: route.operationId,
    summary: route.summary,
    description:
      route.officialClientsOnly === true ? `${route.description} ${OFFICIAL_CLIENTS_ONLY}` : route.description,
    tags: [route.tag],
    ...(route.deprecation === undefined ? {} : { deprecated: true }),
    security: securityOf(route),
    ...(payment === null ? {} : { 'x-payment-info': paymentObject(payment) }),
    'x-problem-codes': problemsOf(route),
    ...rateLimitObjects(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: bodyObject(route.body) }),
    responses: {
      ...Object.fromEntries(
        route.successes.map((success) => [String(success.status), successResponse(route, success)]),
      ),
      ...problemResponses(route),
    },
  };
}

/** The tokens that an operation takes; one of them is enough. */
function securityOf({ auth, automation }: Route<never>): OpenApiObject[] {
  const own = auth === 'operator' ? [{ oauth2: [...REQUIRED_SCOPES] }] : [];
  if (auth === 'optional') return [{}, { oauth2: [...REQUIRED_SCOPES, 'leagues'] }];
  return automation === true ? [...own, { automationToken: [] }] : own;
}

/** The policies under which an operation's requests count. */
function rateLimitObjects({ limit, alsoLimit }: Route<never>): OpenApiObject {
  const policies = [limit, alsoLimit].flatMap((key) => (key ? [RATE_POLICIES[key]] : []));
  if (policies.length === 0) return {};
  return {
    'x-rate-limits': policies.map(({ name, quota, windowMs }) => {
      return { policy: name, requests: quota, seconds: windowMs / MS_PER_SECOND };
    }),
  };
}

function parameterObjects(route: Route<never>, place: 'path' | 'query'): OpenApiObject[] {
  const shape = place === 'path' ? route.params?.schema.shape : route.query?.shape;
  return Object.entries(shape ?? {}).map(([name, schema]) => {
    // Parameters arrive as text; the description states their parsed types.
    const { description, ...object } = schemaObject(schema, 'output');
    return {
      name,
      in: place,
      required: place === 'path' || !schema.safeParse(undefined).success,
      ...(description === undefined ? {} : { description }),
      // A list is one value with commas.
      ...(object['type'] === 'array' ? { style: 'form', explode: false } : {}),
      schema: object,
    };
  });
}

function bodyObject({ schema, required }: NonNullable<Route<never>['body']>): OpenApiObject {
  return { required, content: { 'application/json': { schema: schemaObject(schema) } } };
}

function paymentObject({ method, intent, amount, currency, description }: PaymentMetadata): OpenApiObject {
  return { intent, method, amount, currency, description };
}

import { REQUIRED_SCOPES } from '../auth/scopes.ts';
import type { PaymentMetadata, Route } from '../http/route.ts';
import { problemResponses, successResponse } from './response-objects.ts';
import { type OpenApiObject, schemaObject } from './schema-objects.ts';

const OFFICIAL_CLIENTS_ONLY = 'Requires a token of the official command-line tool; tokens of other apps get 403.';

/** An operation of the description. */
export function operationObject(route: Route<never>): OpenApiObject {
  const parameters = [...parameterObjects(route, 'path'), ...parameterObjects(route, 'query')];
  return {
    operationId: route.operationId,
    summary: route.summary,
    description:
      route.officialClientsOnly === true ? `${route.description} ${OFFICIAL_CLIENTS_ONLY}` : route.description,
    tags: [route.tag],
    ...(route.deprecation === undefined ? {} : { deprecated: true }),
    security: route.auth === 'operator' ? [{ oauth2: [...REQUIRED_SCOPES] }] : [],
    ...(route.payment === undefined ? {} : { 'x-payment-info': paymentObject(route.payment) }),
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

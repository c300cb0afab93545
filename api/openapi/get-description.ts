import type { ApiContext } from '../context/api-context.ts';
import type { Representation } from '../http/representation.ts';
import { routesFor } from '../http/route.ts';
import { DOCUMENT_CACHE } from '../http/standard-headers.ts';

/** Contract, part 4.6: the machine-readable API description. */
export const getDescription = routesFor<ApiContext & { readonly description: Representation }>()({
  method: 'get',
  surface: 'site',
  path: '/openapi.json',
  operationId: 'getDescription',
  summary: 'The API description',
  description: 'OpenAPI 3.0.3.',
  tag: 'service',
  auth: 'public',
  successes: [{ status: 200, description: 'The description.', mediaTypes: ['application/json'] }],
  limit: 'public',
  cache: DOCUMENT_CACHE,
  documented: false,
  handle: (_input, { ctx }) => ({ kind: 'ready', status: 200, body: ctx.description }),
});

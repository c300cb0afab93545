import type { ApiContext } from '../context/api-context.ts';
import type { Representation } from '../http/representation.ts';
import { routesFor } from '../http/route.ts';
import type { createSiteMaps } from './agents/site-maps.ts';
import type { createPreparedPages } from './prepared-pages.ts';

/** The context of the website's handlers. */
export interface SiteContext extends ApiContext {
  readonly pages: ReturnType<typeof createPreparedPages>;
  readonly siteMaps: ReturnType<typeof createSiteMaps>;
  /** The API description as served. */
  readonly description: Representation;
}

export const defineRoute = routesFor<SiteContext>();

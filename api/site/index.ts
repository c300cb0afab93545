import type { Route } from '../http/route.ts';
import { AGENT_ROUTES } from './routes/agent-routes.ts';
import { ASSET_ROUTES } from './routes/asset-routes.ts';
import { PAGE_ROUTES } from './routes/page-routes.ts';
import type { SiteContext } from './site-context.ts';

export const SITE_ROUTES: readonly Route<SiteContext>[] = [...PAGE_ROUTES, ...AGENT_ROUTES, ...ASSET_ROUTES];

import { getKeys, getProtectedResource, getProtectedResourceOfBase } from './auth/metadata-routes.ts';
import { getUserInfo, postUserInfo } from './auth/userinfo-route.ts';
import { live, ready, stores } from './health/probes.ts';
import type { Features, Route } from './http/route.ts';
import { MCP_DISCOVERY_ROUTES } from './mcp/discovery-routes.ts';
import { PREMIUM_ROUTES } from './premium/routes.ts';
import { AGENT_ROUTES } from './site/routes/agent-routes.ts';
import { getArchiveFile } from './site/routes/archive-routes.ts';
import { ASSET_ROUTES } from './site/routes/asset-routes.ts';
import { FEED_ROUTES } from './site/routes/feed-routes.ts';
import { PAGE_ROUTES } from './site/routes/page-routes.ts';
import { PICTURE_ROUTES } from './site/routes/picture-routes.ts';
import { V1_ROUTES } from './v1/index.ts';

/** Everything the api serves, apart from sign-in. */
export const ROUTES = [
  ...V1_ROUTES,
  getKeys,
  getProtectedResource,
  getProtectedResourceOfBase,
  getUserInfo,
  postUserInfo,
  ...MCP_DISCOVERY_ROUTES,
  ...PREMIUM_ROUTES,
  ...PAGE_ROUTES,
  ...AGENT_ROUTES,
  ...FEED_ROUTES,
  ...ASSET_ROUTES,
  getArchiveFile,
  ...PICTURE_ROUTES,
  live,
  ready,
  stores,
];

/** What an installation offers. */
export function servedRoutes(config: Features) {
  return ROUTES.filter((route: Pick<Route<never>, 'offered'>) => route.offered?.(config) !== false);
}

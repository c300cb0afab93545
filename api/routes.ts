import { getKeys, getProtectedResource, getProtectedResourceOfBase } from './auth/metadata-routes.ts';
import type { OutsideProvider } from './auth/outside-provider.ts';
import { outsideRoutes } from './auth/outside-routes.ts';
import { getUserInfo, postUserInfo } from './auth/userinfo-route.ts';
import { live, ready } from './health/probes.ts';
import type { Features, Route } from './http/route.ts';
import { MCP_DISCOVERY_ROUTES } from './mcp/discovery-routes.ts';
import { PREMIUM_ROUTES } from './premium/routes.ts';
import { SITE_ROUTES } from './site/index.ts';
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
  ...SITE_ROUTES,
  live,
  ready,
];

/** What an installation offers. With an external identity provider, its documents and its sign-in are in place of our own. */
export function servedRoutes(config: Features, outside: OutsideProvider | null) {
  const offered = ROUTES.filter((route: Pick<Route<never>, 'offered'>) => route.offered?.(config) !== false);
  return outside === null ? offered : [...offered.filter((route) => route !== getKeys), ...outsideRoutes(outside)];
}

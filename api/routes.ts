import { getKeys, getProtectedResource, getProtectedResourceOfBase } from './auth/metadata-routes.ts';
import type { OutsideProvider } from './auth/outside-provider.ts';
import { outsideRoutes } from './auth/outside-routes.ts';
import { getUserInfo, postUserInfo } from './auth/userinfo-route.ts';
import { live, ready } from './health/probes.ts';
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

/** The same on an installation with an external identity provider: its documents and its sign-in are in place of our own. */
export function servedRoutes(outside: OutsideProvider | null) {
  return outside === null ? ROUTES : [...ROUTES.filter((route) => route !== getKeys), ...outsideRoutes(outside)];
}

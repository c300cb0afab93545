import type { Route } from '../http/route.ts';
import { AGENT_ROUTES } from './routes/agent-routes.ts';
import { getAsset, getBadge, getFavicon, getPreviewImage } from './routes/asset-routes.ts';
import { GUIDE_ROUTES, getDevelopersPage, getErrorPage, getReferencePage } from './routes/developer-routes.ts';
import { getHomePage } from './routes/home-routes.ts';
import { getMethodologyPage } from './routes/methodology-route.ts';
import { findOperatorPage, getComparePage, getOperatorPage } from './routes/operator-routes.ts';
import type { SiteContext } from './site-context.ts';

export const SITE_ROUTES: readonly Route<SiteContext>[] = [
  getHomePage,
  findOperatorPage,
  getOperatorPage,
  getComparePage,
  getMethodologyPage,
  getDevelopersPage,
  getReferencePage,
  ...GUIDE_ROUTES,
  getErrorPage,
  ...AGENT_ROUTES,
  getAsset,
  getFavicon,
  getPreviewImage,
  getBadge,
];

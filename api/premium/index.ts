import type { Route } from '../http/route.ts';
import type { ApiServices } from '../services.ts';
import { getDistribution } from './routes/get-distribution.ts';
import { getExport } from './routes/get-export.ts';
import { getPremiumAccess } from './routes/get-premium-access.ts';
import { getTiers } from './routes/get-tiers.ts';

/** Routes that are paid per request. */
export const PREMIUM_ROUTES: readonly Route<ApiServices>[] = [getPremiumAccess, getTiers, getDistribution, getExport];

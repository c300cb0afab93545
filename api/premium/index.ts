import { getDistribution } from './routes/get-distribution.ts';
import { getExport } from './routes/get-export.ts';
import { getPremiumAccess } from './routes/get-premium-access.ts';
import { getTiers } from './routes/get-tiers.ts';

/** Routes that are paid per request. */
export const PREMIUM_ROUTES = [getPremiumAccess, getTiers, getDistribution, getExport];

import { benchCodename } from '../frame/seed-population.ts';

export const LEADERBOARD = '/api/v1/leaderboard';
export const PROFILE = `/api/v1/operators/${benchCodename(42)}`;

/** One case's clients that stay within their quotas: no service serves as many requests as these may make. */
export const many = (group: number) => ({ count: 50_000, first: 10_000_000 + group * 50_000 }) as const;

/** One client over its quota. */
export const FLOODING = { count: 1, first: 60_000 } as const;

/**
 * The clients beside a flood; others in each of a hundred rounds, so that none reaches its quota: a round has a few requests of
 * each.
 */
export const honestClients = (round: number) => ({ count: 1_000, first: 100_000 + (round % 100) * 1_000 }) as const;

/** Clients that are far from their quotas. */
export const FAR_FROM_QUOTA = { count: 100_000, first: 300_000 } as const;

/** A client in each request. */
export const NEW = { count: null, first: 1_000_000 } as const;

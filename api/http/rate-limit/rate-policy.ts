import { LIMITS } from '../../../config/limits.ts';

/** How many requests one client may make in one window. `name` is what clients read in RateLimit-Policy. */
export interface RatePolicy {
  readonly name: string;
  readonly quota: number;
  readonly windowMs: number;
}

/** A policy that documents list: what it counts, and what a client is. */
interface StatedPolicy extends RatePolicy {
  readonly counts: string;
  readonly by: string;
}

const { rate } = LIMITS;
const windowMs = rate.publicWindowMs;
const ADDRESS = 'client address (IPv6: its /64)';
const OPERATOR = 'operator';

/**
 * The policies that routes name. Website and images have policies of their own, because one address may read them for
 * thousands of people; `renders` also counts those of their requests that no kept answer served. `failures` counts rejected
 * tokens, so that guessing costs the guesser and not the operators who share the address.
 */
export const STATED_POLICIES = {
  public: {
    name: 'public',
    quota: rate.publicRequests,
    windowMs,
    counts: 'Requests to the API without a token: the board, profiles and histories',
    by: ADDRESS,
  },
  pages: { name: 'pages', quota: rate.pageRequests, windowMs, counts: 'Pages of this website', by: ADDRESS },
  documents: {
    name: 'documents',
    quota: rate.documentRequests,
    windowMs,
    counts: 'Documents for programs: llms.txt, the API description, sitemaps, metadata and keys',
    by: ADDRESS,
  },
  images: { name: 'images', quota: rate.imageRequests, windowMs, counts: 'Badges and preview images', by: ADDRESS },
  renders: {
    name: 'renders',
    quota: rate.renderRequests,
    windowMs,
    counts: 'Of these pages and images, those that had to be made for the request',
    by: ADDRESS,
  },
  mcp: {
    name: 'mcp',
    quota: rate.mcpRequests,
    windowMs,
    counts: 'MCP messages',
    by: `operator, with a valid token; else ${ADDRESS}`,
  },
  snapshots: {
    name: 'snapshots',
    quota: rate.snapshotRequests,
    windowMs: rate.snapshotWindowMs,
    counts: 'Snapshots',
    by: OPERATOR,
  },
  snapshotsDay: {
    name: 'snapshots-day',
    quota: rate.snapshotDayRequests,
    windowMs: rate.snapshotDayWindowMs,
    counts: 'Snapshots per UTC day',
    by: OPERATOR,
  },
  operator: {
    name: 'operator',
    quota: rate.writeRequests,
    windowMs: rate.writeWindowMs,
    counts: 'Other requests with a token',
    by: OPERATOR,
  },
  failures: {
    name: 'failures',
    quota: rate.publicRequests,
    windowMs,
    counts: 'Requests with a rejected token',
    by: ADDRESS,
  },
} as const satisfies Record<string, StatedPolicy>;

/** The policies routes name: by client address, or by operator once a token was verified. */
export type RatePolicyName = keyof typeof STATED_POLICIES | 'webhooks';

export type RatePolicies = Readonly<Record<RatePolicyName, RatePolicy>>;

/** Every policy; `webhooks` counts what a payment provider sends, by client address. */
export const RATE_POLICIES: RatePolicies = {
  ...STATED_POLICIES,
  webhooks: { name: 'webhooks', quota: rate.webhookRequests, windowMs },
};

/** The same policies with other quotas or windows. */
export function ratePolicies(change: Partial<Pick<RatePolicy, 'quota' | 'windowMs'>>): RatePolicies {
  const changed = structuredClone(RATE_POLICIES);
  for (const policy of Object.values(changed)) Object.assign(policy, change);
  return changed;
}

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../config/units.ts';

/** How many requests one client may make in one window. `name` is what clients read in RateLimit-Policy. */
export interface RatePolicy {
  readonly name: string;
  readonly quota: number;
  readonly windowMs: number;
}

const ADDRESS = 'client address (IPv6: its /64)';
const OPERATOR = 'operator';

/** A policy that documents list: what it counts, and what a client is. */
const stated = (name: string, quota: number, counts: string, by = ADDRESS, windowMs = MINUTE_MS) => ({
  name,
  quota,
  windowMs,
  counts,
  by,
});

/**
 * The policies that routes name. Website and images have policies of their own, because one address may read them for
 * thousands of people; `renders` also counts those of their requests that no kept answer served, and `cards` what a thread may have to draw. `failures` counts rejected
 * tokens, so that guessing costs the guesser and not the operators who share the address. `snapshotsDay` bounds the log.
 */
export const STATED_POLICIES = {
  public: stated('public', 60, 'Requests to the API without a token: the board, profiles and histories'),
  events: stated('events', 120, 'Subscriptions to the events of a board'),
  searches: stated('searches', 120, 'Searches of codenames'),
  openRows: stated('open-rows', 60, 'Pages of the snapshots of open rows'),
  pages: stated('pages', 600, 'Pages of this website'),
  documents: stated(
    'documents',
    600,
    'Documents for programs: llms.txt, the API description, sitemaps, metadata and keys',
  ),
  images: stated('images', 6_000, 'Badges and cards'),
  renders: stated('renders', 300, 'Of these pages and images, those that had to be made for the request'),
  cards: stated('cards', 60, 'Of the images, cards as PNG'),
  mcp: stated('mcp', 600, 'MCP messages', `operator, with a valid token; else ${ADDRESS}`),
  snapshots: stated('snapshots', 300, 'Snapshots', OPERATOR),
  snapshotsDay: stated('snapshots-day', 2_500, 'Snapshots per UTC day', OPERATOR, DAY_MS),
  operator: stated('operator', 30, 'Other requests with a token', OPERATOR),
  failures: stated('failures', 60, 'Requests with a rejected token'),
};

/** The policies of sign-in pages and the authorization server, by client address. */
export const SIGN_IN_POLICIES = {
  /** Reads of pages and metadata. */
  signInPages: { name: 'pages', quota: 240, windowMs: MINUTE_MS },
  /** Sign-in forms, and returns from upstreams. */
  signIn: { name: 'sign_in', quota: 30, windowMs: MINUTE_MS },
  mail: { name: 'mail', quota: 10, windowMs: HOUR_MS },
  /** Account exports: each reads an operator's whole log. */
  export: { name: 'export', quota: 10, windowMs: HOUR_MS },
  /** Requests of clients to the authorization server. A waiting device polls every five seconds. */
  token: { name: 'token', quota: 120, windowMs: MINUTE_MS },
  /** Entered device codes, which bounds guessing: there are 20^8 codes. */
  device: { name: 'device', quota: 20, windowMs: 10 * MINUTE_MS },
  registration: { name: 'registration', quota: 20, windowMs: HOUR_MS },
} as const satisfies Record<string, RatePolicy>;

/** The policies routes name: by client address, or by operator once a token was verified. */
export type RatePolicyName = keyof typeof STATED_POLICIES | keyof typeof SIGN_IN_POLICIES | 'webhooks';

export type RatePolicies = Readonly<Record<RatePolicyName, RatePolicy>>;

/** Every policy; `webhooks` counts what a payment provider sends, by client address. */
export const RATE_POLICIES: RatePolicies = {
  ...STATED_POLICIES,
  ...SIGN_IN_POLICIES,
  webhooks: { name: 'webhooks', quota: 3_000, windowMs: MINUTE_MS },
};

/** The same policies with other quotas or windows. */
export function ratePolicies(change: Partial<Pick<RatePolicy, 'quota' | 'windowMs'>>): RatePolicies {
  const changed = structuredClone(RATE_POLICIES);
  for (const policy of Object.values(changed)) Object.assign(policy, change);
  return changed;
}

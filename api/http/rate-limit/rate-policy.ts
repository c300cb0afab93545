import { LIMITS } from '../../../config/limits.ts';

/** How many requests one client may make in one window. `name` is what clients read in RateLimit-Policy. */
export interface RatePolicy {
  readonly name: string;
  readonly quota: number;
  readonly windowMs: number;
}

/** The policies routes name: by client address, or by operator once a token was verified. */
export type RatePolicyName = 'public' | 'snapshots' | 'snapshotsDay' | 'operator' | 'failures' | 'webhooks';

export type RatePolicies = Readonly<Record<RatePolicyName, RatePolicy>>;

const { rate } = LIMITS;

/**
 * `public` counts requests without a token by client address; `snapshots`, `snapshotsDay` and `operator` count
 * authenticated requests by operator; `failures` counts failed authentications by client address, so that guessing tokens costs the guesser
 * and not the operators who share the address; `webhooks` counts what a payment provider sends, by client address.
 */
export const RATE_POLICIES: RatePolicies = {
  public: { name: 'public', quota: rate.publicRequests, windowMs: rate.publicWindowMs },
  snapshots: { name: 'snapshots', quota: rate.snapshotRequests, windowMs: rate.snapshotWindowMs },
  snapshotsDay: { name: 'snapshots-day', quota: rate.snapshotDayRequests, windowMs: rate.snapshotDayWindowMs },
  operator: { name: 'operator', quota: rate.writeRequests, windowMs: rate.writeWindowMs },
  webhooks: { name: 'webhooks', quota: rate.webhookRequests, windowMs: rate.publicWindowMs },
  failures: { name: 'failures', quota: rate.publicRequests, windowMs: rate.publicWindowMs },
};

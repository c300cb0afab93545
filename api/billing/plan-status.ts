import type * as z from 'zod';
import type { Entitlement } from '../../engine/billing/index.ts';
import type { PlanStatus } from '../../engine/contract/index.ts';

/** Where a plan stands, as the API tells it. `portalUrl` is told to those who have something to manage. */
export function planStatus(
  { state, eligible, plan, renewsAt, endsAt }: Entitlement,
  portalUrl: string | null,
): z.input<typeof PlanStatus> {
  return {
    state,
    eligible,
    plan,
    renews_at: isoOf(renewsAt),
    ends_at: isoOf(endsAt),
    portal_url: state === 'none' ? null : portalUrl,
  };
}

function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

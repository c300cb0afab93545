import type * as z from 'zod';
import type { Entitlement } from '../../engine/billing/index.ts';
import type { PlanStatus } from '../../engine/contract/index.ts';

/** The state of a plan in the API's form. `portalUrl` is included unless the account never subscribed. */
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

import type * as z from 'zod';
import type { Entitlement } from '../../../engine/billing/index.ts';
import type { Me, PlanStatus } from '../../../engine/contract/index.ts';
import { accountUnknown } from '../../auth/challenge.ts';
import type { ApiContext } from '../../context/api-context.ts';
import { fromStorage } from '../../http/problem.ts';
import type { Caller } from '../../http/route.ts';

export async function ownRecord(
  { members, accounts, billing, config }: ApiContext,
  caller: Caller,
): Promise<z.input<typeof Me>> {
  const [record, account, addresses, entitlement] = await fromStorage(() =>
    Promise.all([
      members.byNumber(caller.operator),
      accounts.bySubject(caller.subject),
      members.addressesOf(caller.operator),
      billing.entitlement(caller.operator),
    ]),
  );
  if (record === null || account === null) throw accountUnknown(config);
  return {
    codename: record.codename,
    display_name: record.displayName,
    plan: await fromStorage(() => billing.nameOf(account)),
    subscription: planStatus(entitlement, `${config.loginUrl}/account/portal`),
    email: addresses[0] ?? null,
    created_at: account.created_at,
  };
}

/** The state of a plan in the API's form. `portalUrl` is included unless the account never subscribed. */
function planStatus(
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

import { FREE_PLAN } from '../engine/accounts/index.ts';

/** Whether an account's plan lets it submit where plans are enforced. */
export function entitlement({ plan }: { readonly plan: string }): boolean {
  return plan !== FREE_PLAN;
}

import type { Account } from '../../../engine/accounts/index.ts';
import { type Entitlement, PAID_PLANS, type PlanState } from '../../../engine/billing/index.ts';
import { priceText } from '../../billing/price-text.ts';
import { type Html, html } from '../../html.ts';
import { button, form } from './forms.ts';
import type { Visit } from './visit.ts';

/** The states of a plan in words; `date` is when it renews or ends. */
const WORDS: Readonly<Record<PlanState, (date: string) => string>> = {
  none: () => 'You have no paid plan.',
  active: (date) => `It renews on ${date}.`,
  ending: (date) => `It is cancelled and runs until ${date}.`,
  grace: (date) => `The last payment failed. The plan continues until ${date}: check your card before then.`,
  unpaid: () => 'The last payment failed, and the plan is inactive until it is paid.',
  paused: () => 'It is paused.',
  refunded: () => 'It was refunded, and has ended.',
  disputed: () => 'Its payment was disputed, and it has ended.',
  incomplete: () => 'Its first payment is not complete.',
  ended: () => 'It has ended.',
};

/** The state of an account's plan, with the available actions. */
export async function planSection(visit: Visit, account: Pick<Account, 'operator' | 'plan'>): Promise<Html> {
  const { billing, enforcePlan } = visit;
  const [entitlement, name] = await Promise.all([billing.entitlement(account.operator), billing.nameOf(account)]);
  const { state } = entitlement;
  const isGranted = state === 'none' && account.plan === name && name !== 'free';
  return html`<p>Your plan: <strong>${name}</strong>. ${isGranted ? 'It was granted to you.' : WORDS[state](dateOf(entitlement))}</p>
${enforcePlan ? null : html`<p class="soft">Submitting is free here: no plan is needed.</p>`}
${actions(visit, entitlement)}`;
}

function actions(visit: Visit, { state, eligible }: Entitlement): Html {
  const { billing, prices } = visit;
  if (billing.card === null) return html`<p class="soft">Subscriptions are not set up on this service.</p>`;
  const manage = html`<p><a href="${visit.paths.portal}">Change the plan, the card, or cancel</a></p>`;
  const owes = state === 'unpaid' || state === 'paused' || state === 'incomplete';
  if (eligible || owes) return manage;
  return html`${PAID_PLANS.map((plan, index) =>
    form(
      visit,
      visit.paths.subscribe,
      { plan },
      button(
        `Subscribe ${plan === 'annual' ? 'yearly' : 'monthly'}: ${priceText(prices, plan)}`,
        index === 0 ? 'main' : '',
      ),
    ),
  )}
${state === 'none' ? null : manage}`;
}

function dateOf({ renewsAt, endsAt }: Entitlement): string {
  const at = renewsAt ?? endsAt;
  return at === null ? '' : new Date(at).toISOString().slice(0, 10);
}

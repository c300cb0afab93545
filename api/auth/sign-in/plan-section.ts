import type { Account } from '../../../engine/accounts/index.ts';
import { type Entitlement, PAID_PLANS, type PlanState } from '../../../engine/billing/index.ts';
import { priceText } from '../../billing/price-text.ts';
import { type Html, html } from '../pages/html.ts';
import type { SignInContext } from './context.ts';
import { button, form } from './forms.ts';
import { PATHS, pathOf } from './paths.ts';
import type { Visit } from './visit.ts';

/** What each state means to the person whose plan it is; `date` is when it renews or ends. */
const WORDS: Readonly<Record<PlanState, (date: string) => string>> = {
  none: () => 'You have no paid plan.',
  active: (date) => `It renews on ${date}.`,
  ending: (date) => `It is cancelled and runs until ${date}.`,
  grace: (date) => `The last payment failed. The plan goes on until ${date}: check your card before then.`,
  unpaid: () => 'The last payment failed, and the plan is over until it is paid.',
  paused: () => 'It is paused.',
  refunded: () => 'It was refunded, and is over.',
  disputed: () => 'Its payment was taken back, and it is over.',
  incomplete: () => 'Its first payment is not complete.',
  ended: () => 'It has ended.',
};

/** Where a person's plan stands, with what can be done about it. */
export async function planSection(
  context: SignInContext,
  visit: Visit,
  account: Pick<Account, 'operator' | 'plan'>,
): Promise<Html> {
  const { billing, enforcePlan } = context;
  const [standing, name] = await Promise.all([billing.standing(account.operator), billing.nameOf(account)]);
  const { state } = standing;
  const isGranted = state === 'none' && account.plan === name && name !== 'free';
  return html`<p>Your plan: <strong>${name}</strong>. ${isGranted ? 'It was given to you.' : WORDS[state](dateOf(standing))}</p>
${enforcePlan ? null : html`<p class="soft">Submitting is free here: no plan is needed.</p>`}
${actions(context, visit, standing)}`;
}

function actions(context: SignInContext, visit: Visit, { state, eligible }: Entitlement): Html {
  const { billing, prices } = context;
  if (billing.card === null) return html`<p class="soft">Subscriptions are not set up on this service.</p>`;
  const manage = html`<p><a href="${pathOf(context, PATHS.portal)}">Change the plan, the card, or cancel</a></p>`;
  const owes = state === 'unpaid' || state === 'paused' || state === 'incomplete';
  if (eligible || owes) return manage;
  return html`${PAID_PLANS.map((plan, index) =>
    form(
      visit,
      pathOf(context, PATHS.subscribe),
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

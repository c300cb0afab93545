import { readableDay } from '../../../config/units.ts';
import type { Account } from '../../../engine/accounts/index.ts';
import {
  type Entitlement,
  PAID_PLANS,
  type PlanState,
  PricesNotSetUpError,
  StripeUnavailableError,
} from '../../../engine/billing/index.ts';
import { priceText } from '../../billing/price-text.ts';
import { type Html, html, NOTHING } from '../../html.ts';
import { button, form } from './forms.ts';
import { signInFirst, type Visit } from './visit.ts';

/** `GET /account/plan`: only the plan, for links and for the return from a cancelled checkout. */
export async function showPlan(visit: Visit): Promise<void> {
  await showPlanPage(visit, await signedIn(visit), 'Your plan');
}

/** `POST /account/subscribe`: redirects to the checkout page. */
export async function subscribe(visit: Visit): Promise<void> {
  const account = await signedIn(visit);
  const { card } = visit.billing;
  const plan = PAID_PLANS.find((each) => each === visit.form.get('plan'));
  if (card === null) return visit.problem(503, 'Subscriptions are not available', 'Nothing was charged.');
  const link = { to: visit.paths.plan, text: 'Choose a plan' };
  if (plan === undefined) return visit.problem(400, 'This plan does not exist', 'Nothing was charged.', link);
  const { operator, subject } = account;
  const [email = null] = await visit.members.addressesOf(operator);
  await showingStripeErrors(visit, async () => {
    const outcome = await card.subscribe({ operator, subject, email, plan });
    // An account with a live subscription sees its plan instead.
    visit.redirect(outcome.kind === 'checkout' ? outcome.url : visit.paths.plan);
  });
}

/** `GET /account/portal`: redirects to the customer portal. */
export async function leaveForPortal(visit: Visit): Promise<void> {
  const account = await signedIn(visit);
  await showingStripeErrors(visit, async () => {
    const portal = (await visit.billing.card?.portal(account.operator)) ?? null;
    visit.redirect(portal ?? visit.paths.plan);
  });
}

/** `GET /account/subscribed`: return from a paid checkout. Refreshes from Stripe, so that the plan is active before the webhook arrives. */
export async function showSubscribed(visit: Visit): Promise<void> {
  if (visit.session === null) return showPending(visit);
  const account = await signedIn(visit);
  try {
    await visit.billing.card?.refresh(account.operator);
  } catch (error) {
    if (!(error instanceof StripeUnavailableError)) throw error;
    visit.log.warn(
      { err: error },
      'could not refresh a subscription from Stripe after a payment; the webhook will update it',
    );
  }
  // After a payment the page must not offer to pay again.
  if (!(await visit.billing.entitlement(account.operator)).eligible) return showPending(visit);
  await showPlanPage(visit, account, 'Thank you');
}

function showPending(visit: Visit): void {
  const body = html`<p>Your payment is being processed. You can close this page and start submitting.</p>
<p><a href="${visit.paths.plan}">See your plan</a></p>`;
  visit.page('Thank you', body);
}

async function showPlanPage(visit: Visit, account: Account, title: string): Promise<void> {
  const section = await planSection(visit, account);
  const body = html`${section}
<p><a href="${visit.paths.account}">Your account</a></p>`;
  visit.page(title, body, { formTargets: visit.paymentOrigins });
}

/** The account of the session. Without one, the browser signs in and comes back to the plan. */
async function signedIn(visit: Visit): Promise<Account> {
  const account = visit.session === null ? null : await visit.accounts.byOperator(visit.session.operator);
  return account ?? signInFirst(visit, visit.paths.plan);
}

async function showingStripeErrors(visit: Visit, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof PricesNotSetUpError) {
      return visit.problem(503, 'Subscriptions are not available', 'Nothing was charged.');
    }
    if (!(error instanceof StripeUnavailableError)) throw error;
    visit.problem(503, 'The payment provider does not respond', 'Nothing was charged. Try again in a minute.');
  }
}

/** The states of a plan in words; `date` is when it renews or ends. */
const WORDS: Readonly<Record<PlanState, (date: string) => string>> = {
  none: () => 'You have no paid plan.',
  active: (date) => `It renews on ${date}.`,
  ending: (date) => `It was cancelled and ends on ${date}.`,
  grace: (date) => `The last payment failed. Your plan continues until ${date}; check your card before then.`,
  unpaid: () => 'The last payment failed. Your plan is inactive until it is paid.',
  paused: () => 'It is paused.',
  refunded: () => 'It was refunded and has ended.',
  disputed: () => 'Its payment was disputed, so it has ended.',
  incomplete: () => 'Its first payment is not complete yet.',
  ended: () => 'It has ended.',
};

/** The state of an account's plan, with the available actions. */
export async function planSection(visit: Visit, account: Pick<Account, 'operator' | 'plan'>): Promise<Html> {
  const { billing, enforcePlan } = visit;
  const [entitlement, name] = await Promise.all([billing.entitlement(account.operator), billing.nameOf(account)]);
  const { state } = entitlement;
  const isGranted = state === 'none' && account.plan === name && name !== 'free';
  return html`<p>Your plan: <strong>${name}</strong>. ${isGranted ? 'It was granted to you.' : WORDS[state](dateOf(entitlement))}</p>
${enforcePlan ? null : html`<p class="soft">Submitting is free here; you do not need a plan.</p>`}
${actions(visit, entitlement)}`;
}

function actions(visit: Visit, { state, eligible }: Entitlement): Html {
  const { billing, prices } = visit;
  if (billing.card === null) return NOTHING;
  const manage = html`<p><a href="${visit.paths.portal}">Change your plan or card, or cancel</a></p>`;
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
  return at === null ? '' : readableDay(at);
}

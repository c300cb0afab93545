import type { Account } from '../../../engine/accounts/index.ts';
import { PAID_PLANS, PricesNotSetUpError, StripeUnavailableError } from '../../../engine/billing/index.ts';
import { html } from '../../html.ts';
import { planSection } from './plan-section.ts';
import type { Visit } from './visit.ts';

/** `GET /account/plan`: only the plan, for links and for the return from a cancelled checkout. */
export async function showPlan(visit: Visit): Promise<void> {
  const account = await signedIn(visit);
  if (account !== null) await showPlanPage(visit, account, 'Your plan');
}

/** `POST /account/subscribe`: redirects to the checkout page. */
export async function subscribe(visit: Visit): Promise<void> {
  const account = await signedIn(visit);
  if (account === null) return;
  const { card } = visit.billing;
  const plan = PAID_PLANS.find((each) => each === visit.form.get('plan'));
  if (card === null) return visit.problem(503, 'Subscriptions are not set up', 'Nothing was charged.');
  if (plan === undefined)
    return visit.problem(400, 'There is no such plan', 'Go back and choose one. Nothing was charged.');
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
  if (account === null) return;
  await showingStripeErrors(visit, async () => {
    const portal = (await visit.billing.card?.portal(account.operator)) ?? null;
    visit.redirect(portal ?? visit.paths.plan);
  });
}

/** `GET /account/subscribed`: return from a paid checkout. Refreshes from Stripe, so that the plan is active before the webhook arrives. */
export async function showSubscribed(visit: Visit): Promise<void> {
  if (visit.session === null) return showPending(visit);
  const account = await signedIn(visit);
  if (account === null) return;
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
  visit.page(
    'Thank you',
    html`<p>Your payment is on its way to your account. You can close this page and submit.</p>
<p><a href="${visit.paths.plan}">See your plan</a></p>`,
  );
}

async function showPlanPage(visit: Visit, account: Account, title: string): Promise<void> {
  const section = await planSection(visit, account);
  const body = html`${section}
<p><a href="${visit.paths.account}">Your account</a></p>`;
  visit.page(title, body, { formTargets: visit.paymentOrigins });
}

/** The account of the session. Without one, redirects to sign in and returns null. */
async function signedIn(visit: Visit): Promise<Account | null> {
  const account = visit.session === null ? null : await visit.accounts.byOperator(visit.session.operator);
  if (account !== null) return account;
  const next = new URLSearchParams({ next: visit.paths.plan });
  visit.redirect(`${visit.paths.login}?${next.toString()}`);
  return null;
}

async function showingStripeErrors(visit: Visit, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof PricesNotSetUpError) {
      return visit.problem(503, 'Subscriptions are not set up', 'Nothing was charged.');
    }
    if (!(error instanceof StripeUnavailableError)) throw error;
    visit.problem(503, 'The payment provider does not respond', 'Nothing was charged. Try again in a minute.');
  }
}

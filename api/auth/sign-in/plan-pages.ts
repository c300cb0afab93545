import type { Account } from '../../../engine/accounts/index.ts';
import { PAID_PLANS, PricesNotSetUpError, StripeUnavailableError } from '../../../engine/billing/index.ts';
import { html } from '../../html.ts';
import type { SignInContext } from './context.ts';
import { PATHS, pathOf } from './paths.ts';
import { planSection } from './plan-section.ts';
import { showProblem } from './problem-pages.ts';
import type { Visit } from './visit.ts';

/** `GET /account/plan`: only the plan, for links and for the return from a cancelled checkout. */
export async function showPlan(context: SignInContext, visit: Visit): Promise<void> {
  const account = await signedIn(context, visit);
  if (account !== null) await showPlanPage(context, visit, account, 'Your plan');
}

/** `POST /account/subscribe`: redirects to the checkout page. */
export async function subscribe(context: SignInContext, visit: Visit): Promise<void> {
  const account = await signedIn(context, visit);
  if (account === null) return;
  const { card } = context.billing;
  const plan = PAID_PLANS.find((each) => each === visit.form.get('plan'));
  if (card === null) return showProblem(visit, 503, 'Subscriptions are not set up', 'Nothing was charged.');
  if (plan === undefined)
    return showProblem(visit, 400, 'There is no such plan', 'Go back and choose one. Nothing was charged.');
  const { operator, subject } = account;
  const [email = null] = await context.members.addressesOf(operator);
  await showingStripeErrors(visit, async () => {
    const outcome = await card.subscribe({ operator, subject, email, plan });
    // An account with a live subscription sees its plan instead.
    visit.redirect(outcome.kind === 'checkout' ? outcome.url : pathOf(context, PATHS.plan));
  });
}

/** `GET /account/portal`: redirects to the customer portal. */
export async function leaveForPortal(context: SignInContext, visit: Visit): Promise<void> {
  const account = await signedIn(context, visit);
  if (account === null) return;
  await showingStripeErrors(visit, async () => {
    const portal = (await context.billing.card?.portal(account.operator)) ?? null;
    visit.redirect(portal ?? pathOf(context, PATHS.plan));
  });
}

/** `GET /account/subscribed`: return from a paid checkout. Refreshes from Stripe, so that the plan is active before the webhook arrives. */
export async function showSubscribed(context: SignInContext, visit: Visit): Promise<void> {
  if (visit.session === null) return showPending(context, visit);
  const account = await signedIn(context, visit);
  if (account === null) return;
  try {
    await context.billing.card?.refresh(account.operator);
  } catch (error) {
    if (!(error instanceof StripeUnavailableError)) throw error;
    context.logger.warn(
      { err: error },
      'could not refresh a subscription from Stripe after a payment; the webhook will update it',
    );
  }
  // After a payment the page must not offer to pay again.
  if (!(await context.billing.entitlement(account.operator)).eligible) return showPending(context, visit);
  await showPlanPage(context, visit, account, 'Thank you');
}

function showPending(context: SignInContext, visit: Visit): void {
  visit.page({
    title: 'Thank you',
    body: html`<p>Your payment is on its way to your account. You can close this page and submit.</p>
<p><a href="${pathOf(context, PATHS.plan)}">See your plan</a></p>`,
  });
}

async function showPlanPage(context: SignInContext, visit: Visit, account: Account, title: string): Promise<void> {
  const section = await planSection(context, visit, account);
  const body = html`${section}
<p><a href="${pathOf(context, PATHS.account)}">Your account</a></p>`;
  visit.page({ title, body }, { formTargets: context.paymentOrigins });
}

/** The account of the session. Without one, redirects to sign in and returns null. */
async function signedIn(context: SignInContext, visit: Visit): Promise<Account | null> {
  const account = visit.session === null ? null : await context.accounts.byOperator(visit.session.operator);
  if (account !== null) return account;
  const next = new URLSearchParams({ next: pathOf(context, PATHS.plan) });
  visit.redirect(`${pathOf(context, PATHS.login)}?${next.toString()}`);
  return null;
}

async function showingStripeErrors(visit: Visit, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof PricesNotSetUpError) {
      return showProblem(visit, 503, 'Subscriptions are not set up', 'Nothing was charged.');
    }
    if (!(error instanceof StripeUnavailableError)) throw error;
    showProblem(visit, 503, 'The payment provider does not respond', 'Nothing was charged. Try again in a minute.');
  }
}

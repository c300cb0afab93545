import type { AccountStore, BillingAccount } from '../mongo/account-store.ts';
import type { BillingEvent, EventStore } from '../mongo/event-store.ts';
import type { Payments } from '../payments/payment.ts';
import type { BillingReport } from '../report.ts';
import type { StripeGateway } from '../stripe/gateway.ts';
import type { MoneyMoves, MoneyReader } from '../stripe/money-moves.ts';
import { isMissing } from '../stripe/stripe-error.ts';
import type { RefreshAccount } from '../subscriptions/refresh-account.ts';
import { isEventType } from './event-types.ts';

export interface ApplyOptions {
  readonly events: EventStore;
  readonly store: AccountStore;
  readonly gateway: StripeGateway;
  readonly money: MoneyReader;
  readonly payments: Payments;
  readonly refresh: RefreshAccount;
  readonly report: BillingReport;
  readonly clock: () => number;
}

const MS_PER_SECOND = 1_000;

/** Applies an event that is stored; does nothing with one that was applied, or is not known. Safe to repeat. */
export type ApplyEvent = (id: string) => Promise<void>;

/**
 * An event says where to look, and no more: what is recorded, and what an account may do, is read from Stripe's objects as
 * they are now. So events may come in any order, twice, late, or be applied by two at once.
 */
export function createApplyEvent(options: ApplyOptions): ApplyEvent {
  const { events, refresh, report, clock } = options;
  return async (id) => {
    const event = await events.find(id);
    if (event === null || event.applied) return;
    const { customer, moves } = await moneyOf(event, options);
    const account = customer === null ? null : await accountOf(customer, options);
    for (const move of moves) {
      const isNew = await options.payments.record({ ...move, subject: subjectOf(account) });
      if (isNew) report.recorded(move.kind);
    }
    if (account !== null) await refresh(account.operator);
    if (await events.applied(id, clock())) report.applied(event.type, (clock() - event.createdAt) / MS_PER_SECOND);
  };
}

/** Who is being erased is not written into records any more. */
function subjectOf(account: BillingAccount | null): string | null {
  return account === null || account.forgotten ? null : account.subject;
}

async function moneyOf({ type, object, customer }: BillingEvent, { money }: ApplyOptions): Promise<MoneyMoves> {
  if (!isEventType(type)) return { customer, moves: [] };
  switch (type) {
    case 'invoice.paid':
      return orNothing(customer, () => money.ofInvoice(object));
    case 'charge.refunded':
      return orNothing(customer, () => money.ofCharge(object));
    case 'refund.updated':
    case 'refund.failed':
      return orNothing(customer, () => money.ofRefund(object));
    case 'charge.dispute.created':
    case 'charge.dispute.closed':
      return orNothing(customer, () => money.ofDispute(object));
    case 'checkout.session.completed':
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
    case 'customer.subscription.paused':
    case 'customer.subscription.resumed':
    case 'invoice.payment_failed':
      return { customer, moves: [] };
  }
}

/** Nothing moved by an object that is gone from Stripe, such as one of a test that was cleared away. */
async function orNothing(customer: string | null, read: () => Promise<MoneyMoves>): Promise<MoneyMoves> {
  try {
    return await read();
  } catch (error) {
    if (isMissing(error)) return { customer, moves: [] };
    throw error;
  }
}

/** Whose customer it is. One that we do not know may have been made just before a crash: Stripe knows whose it is. */
async function accountOf(customer: string, { store, gateway }: ApplyOptions): Promise<BillingAccount | null> {
  const known = await store.byCustomer(customer);
  if (known !== null) return known;
  const owner = await gateway.accountOf(customer);
  if (owner === null) return null;
  await store.ensure(owner);
  const account = await store.find(owner.operator);
  if (account?.subject !== owner.subject) return null;
  if (account.customer !== null) return account;
  await store.change(account, { customer });
  return store.find(owner.operator);
}

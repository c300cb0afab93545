import { MS_PER_SECOND } from '../../../config/units.ts';
import type { CardParts } from '../card-parts.ts';
import type { BillingAccount } from '../mongo/account-store.ts';
import type { BillingEvent } from '../mongo/event-store.ts';
import type { MoneyMovements } from '../stripe/money-reader.ts';
import { orMissing } from '../stripe/stripe-error.ts';
import type { RefreshAccount } from '../subscriptions/refresh-account.ts';
import { isEventType, MONEY_BY_TYPE } from './event-types.ts';

/** Applies a stored event; does nothing for an applied or unknown one. Safe to repeat. */
export type ApplyEvent = (id: string) => Promise<void>;

/**
 * An event only identifies an object: payments and subscriptions are read from Stripe's objects in their current state. So
 * events may arrive in any order, twice or late, and two processes may apply one concurrently.
 */
export function createApplyEvent(parts: CardParts, refresh: RefreshAccount): ApplyEvent {
  const { events, payments, report, clock } = parts;
  return async (id) => {
    const event = await events.find(id);
    if (event === null || event.applied) return;
    const { customer, movements } = await movementsOf(event, parts);
    const account = customer === null ? null : await accountOf(customer, parts);
    for (const movement of movements) {
      const isNew = await payments.record({ ...movement, subject: subjectOf(account) });
      if (isNew) report?.recorded(movement.kind);
    }
    if (account !== null) await refresh(account.operator);
    if (await events.applied(id, clock())) report?.applied(event.type, (clock() - event.createdAt) / MS_PER_SECOND);
  };
}

/** Records of an account under erasure get no subject. */
function subjectOf(account: BillingAccount | null): string | null {
  return account === null || account.forgotten ? null : account.subject;
}

/** An object that Stripe no longer has, such as deleted test data, moved no money. */
async function movementsOf({ type, object, customer }: BillingEvent, { money }: CardParts): Promise<MoneyMovements> {
  const reader = isEventType(type) ? MONEY_BY_TYPE[type] : null;
  const read = reader === null ? null : await orMissing(() => money[reader](object));
  return read ?? { customer, movements: [] };
}

/** The account of a customer. An unknown one may have been created just before a crash: Stripe has the account in its metadata. */
async function accountOf(customer: string, { store, gateway }: CardParts): Promise<BillingAccount | null> {
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

/** Plans, subscriptions and payment records. */
export type { BillingOptions, ReturnAddresses } from './card-parts.ts';
export { type Billing, type CardBilling, createBilling, openBilling } from './create-billing.ts';
export { EVENT_RETENTION_MS } from './limits.ts';
export type { Answers, NewAnswer } from './mongo/answers.ts';
export type { NewPayment, PaymentPeriod } from './payments.ts';
export { PricesNotSetUpError } from './stripe/catalogue.ts';
export { StripeUnavailableError } from './stripe/stripe-error.ts';
export { type Entitlement, entitlementOf, type PlanState } from './subscriptions/entitlement.ts';
export {
  PAID_PLANS,
  type PaidPlan,
  type Payment,
  type PaymentTerms,
  type SignedTransfer,
  type Subscription,
} from './types.ts';
export { createPurchases, openPurchases, type Purchases } from './x402/create-purchases.ts';
export { requirementsOf } from './x402/facilitator.ts';
export { ANSWER_RETENTION_MS, PAYMENT_VALIDITY_S, SETTLED_RETENTION_MS } from './x402/limits.ts';
export type { PaymentReceipt, PurchaseOrder, PurchaseOutcome, PurchaseResult } from './x402/purchase.ts';
export type { PurchaseOptions } from './x402/purchase-parts.ts';

/** Plans, subscriptions and payment records. */
export type { Comparison } from './compare-with-stripe.ts';
export { type Billing, type BillingOptions, type CardBilling, createBilling, openBilling } from './create-billing.ts';
export type { Received } from './events/create-events.ts';
export type {
  NewPayment,
  Payment,
  PaymentKind,
  PaymentPeriod,
  PaymentProvider,
  Payments,
} from './payments/payment.ts';
export type { BillingDifference, BillingReport } from './report.ts';
export { type PriceSetUp, PricesNotSetUpError } from './stripe/catalogue.ts';
export { type StripeOutcome, StripeUnavailableError } from './stripe/stripe-error.ts';
export { type Entitlement, entitlementOf, type PlanState } from './subscriptions/entitlement.ts';
export type { ReturnAddresses, SubscribeOutcome, SubscribeRequest } from './subscriptions/subscribe.ts';
export { PAID_PLANS, type PaidPlan, type Subscription } from './subscriptions/subscription.ts';
export { type Answers, type NewAnswer, type SoldAnswer } from './x402/answers.ts';
export { createPurchases, openPurchases, type PurchaseOptions, type Purchases } from './x402/create-purchases.ts';
export { PAYMENT_VALIDITY_S } from './x402/limits.ts';
export type { PaymentTerms, SignedTransfer } from './x402/payment.ts';
export type { PaymentReceipt, PurchaseOrder, PurchaseOutcome, PurchaseResult } from './x402/purchase.ts';
export type { PurchaseReport } from './x402/report.ts';

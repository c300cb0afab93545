/** Plans, subscriptions and the records of money. */
export { type Billing, createBilling } from './create-billing.ts';
export type {
  NewPayment,
  Payment,
  PaymentKind,
  PaymentPeriod,
  PaymentProvider,
  Payments,
} from './payments/payment.ts';

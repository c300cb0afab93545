import type { PlanPrices } from '../../config/billing.ts';
import type { PaidPlan } from '../../engine/billing/index.ts';
import type { PaymentMetadata } from '../http/route.ts';

const PERIODS: Readonly<Record<PaidPlan, string>> = { monthly: 'month', annual: 'year' };

/** `5.00 USD a month`. */
export function priceText(prices: PlanPrices, plan: PaidPlan): string {
  const { amount, currency } = priceOf(prices, plan);
  return `${amount} ${currency} a ${PERIODS[plan]}`;
}

/** The price of the monthly plan, for the API description. */
export function planPayment(prices: PlanPrices): PaymentMetadata {
  const description = `Paid plan, ${priceText(prices, 'monthly')}.`;
  return { method: 'card', intent: 'charge', ...priceOf(prices, 'monthly'), description };
}

function priceOf(prices: PlanPrices, plan: PaidPlan) {
  const currency = prices.currency.toUpperCase();
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return { amount: (prices[plan] / 10 ** digits).toFixed(digits), currency };
}

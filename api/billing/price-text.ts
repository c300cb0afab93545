import type { PlanPrices } from '../../config/billing.ts';
import type { PaidPlan } from '../../engine/billing/index.ts';

const PERIODS: Readonly<Record<PaidPlan, string>> = { monthly: 'month', annual: 'year' };

/** `5.00 USD a month`. */
export function priceText(prices: PlanPrices, plan: PaidPlan): string {
  const currency = prices.currency.toUpperCase();
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions();
  return `${(prices[plan] / 10 ** digits).toFixed(digits)} ${currency} a ${PERIODS[plan]}`;
}

import { expect } from 'chai';
import { loadConfig } from '../../config/config.ts';
import type { EnvSource } from '../../config/env.ts';

const KEY = 'sk_test_0123456789abcdef';
const SECRET = 'whsec_0123456789abcdef';
const STRIPE = { STRIPE_SECRET_KEY: KEY, STRIPE_WEBHOOK_SECRET: SECRET };

function refusalOf(source: EnvSource): string {
  try {
    loadConfig(source);
  } catch (error) {
    return String(error);
  }
  return '';
}

describe('the settings of subscriptions', () => {
  it('are optional: without them prices have defaults, and subscriptions are closed', () => {
    expect(loadConfig({}).billing).to.deep.equal({
      stripe: null,
      prices: { monthly: 500, annual: 5_000, currency: 'usd' },
    });
  });

  it('use Stripe, and accept two webhook secrets during a rotation', () => {
    const { stripe, prices } = loadConfig({
      STRIPE_SECRET_KEY: KEY,
      STRIPE_WEBHOOK_SECRET: `${SECRET}, whsec_another0123`,
      PLAN_MONTHLY_CENTS: '700',
      PLAN_CURRENCY: 'EUR',
    }).billing;
    expect(stripe).to.deep.equal({
      secretKey: KEY,
      webhookSecrets: [SECRET, 'whsec_another0123'],
      apiUrl: 'https://api.stripe.com',
      pageOrigins: ['https://checkout.stripe.com', 'https://billing.stripe.com'],
    });
    expect(prices).to.deep.equal({ monthly: 700, annual: 5_000, currency: 'eur' });
  });

  for (const [what, settings, problem] of [
    ['a key without the secret of webhooks', { STRIPE_SECRET_KEY: KEY }, 'STRIPE_WEBHOOK_SECRET is not set'],
    ['the secret of webhooks without a key', { STRIPE_WEBHOOK_SECRET: SECRET }, 'STRIPE_SECRET_KEY is not set'],
    ['a publishable key', { ...STRIPE, STRIPE_SECRET_KEY: 'pk_test_0123456789' }, 'STRIPE_SECRET_KEY is not a secret'],
    ['a secret of another kind', { ...STRIPE, STRIPE_WEBHOOK_SECRET: 'secret' }, 'STRIPE_WEBHOOK_SECRET is not one'],
    ['three secrets', { ...STRIPE, STRIPE_WEBHOOK_SECRET: `${SECRET},${SECRET},${SECRET}` }, 'is not one whsec_'],
    ['a price of nothing', { PLAN_MONTHLY_CENTS: '0' }, 'PLAN_MONTHLY_CENTS'],
    ['a price with a fraction', { PLAN_ANNUAL_CENTS: '49.99' }, 'PLAN_ANNUAL_CENTS'],
    ['no currency', { PLAN_CURRENCY: 'dollar' }, 'PLAN_CURRENCY is not an ISO 4217 code'],
  ] as const) {
    it(`are refused with ${what}, without a word of the secrets`, () => {
      const refusal = refusalOf(settings);
      expect(refusal).to.include(problem);
      expect(refusal).to.not.match(/sk_|0123456789/);
    });
  }
});

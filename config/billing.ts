import type { Env } from './env.ts';

const SECRET_KEY = /^(sk|rk)_(test|live)_[A-Za-z0-9]{8,}$/;
const WEBHOOK_SECRET = /^whsec_[A-Za-z0-9+/=]{8,}$/;

export type BillingConfig = Readonly<ReturnType<typeof readBilling>>;

/** Prices of the paid plan, in minor units of one currency. */
export type PlanPrices = BillingConfig['prices'];

/** The settings of subscriptions. Appends to `problems`, without secrets. */
export function readBilling(env: Env, problems: string[]) {
  return {
    /** Null: subscriptions are closed. */
    stripe: readStripe(env, problems),
    prices: {
      monthly: env.PLAN_MONTHLY_CENTS,
      annual: env.PLAN_ANNUAL_CENTS,
      /** ISO 4217, in lower case. */
      currency: env.PLAN_CURRENCY.toLowerCase(),
    },
  };
}

/** The Stripe account that receives payments. */
export type StripeConfig = Readonly<NonNullable<ReturnType<typeof readStripe>>>;

function readStripe(env: Env, problems: string[]) {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = env;
  if (secretKey === undefined && webhookSecret === undefined) return null;
  if (secretKey === undefined) problems.push('STRIPE_SECRET_KEY is not set, but STRIPE_WEBHOOK_SECRET is');
  if (webhookSecret === undefined) problems.push('STRIPE_WEBHOOK_SECRET is not set, but STRIPE_SECRET_KEY is');
  if (secretKey === undefined || webhookSecret === undefined) return null;
  const webhookSecrets = webhookSecret.split(',').map((secret) => secret.trim());
  if (!SECRET_KEY.test(secretKey)) problems.push('STRIPE_SECRET_KEY is not a secret or restricted key of Stripe');
  if (webhookSecrets.length > 2 || !webhookSecrets.every((secret) => WEBHOOK_SECRET.test(secret))) {
    problems.push('STRIPE_WEBHOOK_SECRET is not one whsec_ secret, nor two that are separated by a comma');
  }
  return {
    /** A secret: never logged. */
    secretKey,
    /** The accepted webhook signing secrets: two during a rotation. Never logged. */
    webhookSecrets,
    /** Only tests replace this and the next. */
    apiUrl: 'https://api.stripe.com',
    /** Origins of the checkout and customer portal pages. */
    pageOrigins: ['https://checkout.stripe.com', 'https://billing.stripe.com'],
  };
}

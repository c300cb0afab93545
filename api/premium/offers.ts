import { encodePaymentRequiredHeader } from '@x402/core/http';
import type { PremiumConfig } from '../../config/premium.ts';
import type { PremiumProduct } from '../../config/premium-prices.ts';
import { PAYMENT_VALIDITY_S, type PaymentTerms, requirementsOf } from '../../engine/billing/index.ts';
import { PREMIUM_PATHS, PREMIUM_SUMMARIES, priceOf } from './products.ts';

/** The price of a product, with its prepared challenge. */
export type Offer = ReturnType<typeof makeOffer>;

/** The code of a challenge to a request without a payment. */
export const NO_PAYMENT = 'payment_required';

/** Creates the offer of a product. The challenge to requests without a payment is encoded once. */
export function makeOffer(product: PremiumProduct, config: PremiumConfig, siteUrl: string) {
  const terms = termsOf(product, config);
  const url = `${siteUrl}${PREMIUM_PATHS[product]}`;
  const worth = config.testNetwork ? ` (${config.networkTitle} is a test network: its tokens have no value)` : '';
  const description = `${PREMIUM_SUMMARIES[product]}${worth}`;
  const amount = priceOf(product, config);
  const accepts = [offerOfVersion1(terms, config.v1Network, url, description)];
  const challenge = (error: string) => ({ x402Version: 1, error, accepts });
  const header = (error: string): string =>
    encodePaymentRequiredHeader({
      x402Version: 2,
      error,
      resource: { url, description, mimeType: JSON_TYPE },
      accepts: [requirementsOf(terms)],
    });
  const usual = { challenge: challenge(NO_PAYMENT), header: header(NO_PAYMENT) };
  return {
    product,
    terms,
    /** The network's name in x402 version 1. */
    v1Network: config.v1Network,
    /** For people: `0.01 USDC on Base`. */
    price: `${amount} ${config.token.symbol} on ${config.networkTitle}`,
    /** Decimal. */
    amount,
    /** Members of the problem: the challenge of version 1. `error` is a code. */
    challenge: (error: string) => (error === NO_PAYMENT ? usual.challenge : challenge(error)),
    /** The PAYMENT-REQUIRED header: the challenge of version 2. */
    header: (error: string) => (error === NO_PAYMENT ? usual.header : header(error)),
  };
}

const JSON_TYPE = 'application/json';

function termsOf(product: PremiumProduct, { network, token, payTo, prices }: PremiumConfig): PaymentTerms {
  return {
    network,
    asset: token.address,
    domain: { name: token.name, version: token.version },
    currency: token.symbol,
    amount: String(prices[product]),
    payTo,
    maxTimeoutSeconds: PAYMENT_VALIDITY_S,
  };
}

function offerOfVersion1(terms: PaymentTerms, network: string, resource: string, description: string) {
  const { amount, payTo, maxTimeoutSeconds, asset, domain } = terms;
  return {
    scheme: 'exact',
    network,
    maxAmountRequired: amount,
    resource,
    description,
    mimeType: JSON_TYPE,
    payTo,
    maxTimeoutSeconds,
    asset,
    extra: { ...domain },
  };
}

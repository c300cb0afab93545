import { PREMIUM_PRICES, type PremiumProduct } from '../../../config/premium-prices.ts';
import { PREMIUM_PATHS, PREMIUM_SUMMARIES } from '../../premium/products.ts';
import { m } from '../render/inline.ts';
import { bullets, codeBlock, heading, lede, prose, table } from '../render/parts.ts';
import type { Guide } from './guide.ts';

const PRODUCTS: readonly PremiumProduct[] = ['access', 'tiers', 'distribution', 'export'];

export const premium: Guide = {
  slug: 'premium',
  title: 'Premium analytics',
  about: 'Whole boards, tiers and distributions, each request paid for with a stablecoin (x402).',
  parts: ({ siteUrl }) => [
    lede(
      m`The board, profiles and everything else on these pages are free. Requests that read a whole board cost a small amount each. They need no account and no key.`,
    ),
    table({
      caption: 'Premium routes',
      columns: [{ label: 'GET', is: ['row'] }, { label: 'USDC', is: ['number'] }, { label: 'Content' }],
      rows: PRODUCTS.map((product) => [PREMIUM_PATHS[product], PREMIUM_PRICES[product], PREMIUM_SUMMARIES[product]]),
    }),
    heading(2, 'How to pay'),
    prose(
      m`The routes support x402, versions 2 and 1. A request without a payment gets a 402 response: the PAYMENT-REQUIRED header contains the challenge of version 2, the problem body that of version 1. An x402 client signs a transfer and sends the request again with PAYMENT-SIGNATURE, or X-PAYMENT.`,
    ),
    codeBlock('sh', `curl -i ${siteUrl}${PREMIUM_PATHS.access}`, 'Request the challenge, which is free'),
    bullets(
      m`The challenge contains the network, token, price and payee of this installation. Its prices may differ from those above; the challenge is authoritative.`,
      m`The payment is settled only when the response is ready. A problem means that nothing was paid, with one exception: after [payment_unsettled](site:/developers/errors/payment_unsettled) the outcome of the payment is not known yet.`,
      m`If you lose a response, send the same request with the same payment and the Answer-Receipt of the first response. For 10 minutes this returns the same response, and you do not pay twice. Keep the receipt secret: a payment is public on the chain, its receipt is not.`,
      m`If the first response never arrives, the same request gets [payment_reused](site:/developers/errors/payment_reused), whose detail contains a text. Sign that text with the paying account (EIP-191, personal_sign), and send the request again with the signature in Answer-Claim.`,
      m`A payment buys one GET. Using it for another address returns [payment_reused](site:/developers/errors/payment_reused).`,
    ),
    heading(2, 'Board version of a response'),
    prose(
      m`Each response is computed from one board version, at most a minute old, which the Board-Version header contains. Ranks and Yields are those of that version; ratios, platforms and names are those that the operators have when the response is made.`,
    ),
  ],
};

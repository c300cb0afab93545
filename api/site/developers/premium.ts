import { PREMIUM_PRICES, type PremiumProduct } from '../../../config/premium-prices.ts';
import { PREMIUM_PATHS, PREMIUM_SUMMARIES } from '../../premium/products.ts';
import { m } from '../render/inline.ts';
import { bullets, codeBlock, heading, lede, prose } from '../render/parts.ts';
import { cell, table } from '../render/table.ts';
import type { Guide } from './guide.ts';

const PRODUCTS: readonly PremiumProduct[] = ['access', 'tiers', 'distribution', 'export'];

/** How requests are paid for. */
export const premium: Guide = {
  slug: 'premium',
  title: 'Premium analytics',
  about: 'Whole boards, tiers and distributions, each request paid for with a stablecoin (x402).',
  parts: ({ siteUrl }) => [
    lede(
      m`The board, profiles and everything else on these pages are free. What takes a walk over a whole board costs a little, request by request: no account, no key.`,
    ),
    table({
      caption: 'What there is',
      columns: [{ label: 'GET', is: ['row'] }, { label: 'USDC', is: ['number'] }, { label: 'What' }],
      rows: PRODUCTS.map((product) => ({
        cells: [cell(PREMIUM_PATHS[product]), cell(PREMIUM_PRICES[product]), cell(PREMIUM_SUMMARIES[product])],
      })),
    }),
    heading(2, 'How it is paid'),
    prose(
      m`Routes speak x402, versions 2 and 1. A request without a payment is answered with 402: PAYMENT-REQUIRED has the challenge of version 2, the problem itself that of version 1. A client of x402 signs a transfer and sends the request again with PAYMENT-SIGNATURE, or X-PAYMENT.`,
    ),
    codeBlock('sh', `curl -i ${siteUrl}${PREMIUM_PATHS.access}`, 'Ask for the challenge, which costs nothing'),
    bullets(
      m`The challenge names network, token, price and payee of this installation. Prices may differ from those above: what it says holds.`,
      m`The money moves when the answer is ready, and not before. A problem means that nothing was paid, but for [payment_unsettled](site:/developers/errors/payment_unsettled), which says that nobody knows yet.`,
      m`If you lose an answer, send the same request with the same payment and the Answer-Receipt of its first response. For 10 minutes this returns the same answer, and you do not pay twice. Keep the receipt secret: a payment is public on the chain, its receipt is not.`,
      m`If the first response never arrives, the same request gets [payment_reused](site:/developers/errors/payment_reused), whose detail contains a text. Sign that text with the paying account (EIP-191, personal_sign), and send the request again with the signature in Answer-Claim.`,
      m`A payment buys one GET. For another address it is [payment_reused](site:/developers/errors/payment_reused).`,
    ),
    heading(2, 'What the answers are of'),
    prose(
      m`Each answer is of one board version, which Board-Version names, at most a minute old. Ranks and Yields are those of that version; ratios, platforms and names are as the operators have them when it is made.`,
    ),
  ],
};

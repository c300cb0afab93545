import type { PremiumProduct } from '../../../config/premium-prices.ts';
import { PREMIUM_PATHS, PREMIUM_SUMMARIES, priceOf } from '../../premium/products.ts';
import { m } from '../render/inline.ts';
import { bullets, codeBlock, heading, lede, prose, table } from '../render/parts.ts';
import type { Guide } from './guide.ts';

const PRODUCTS: readonly PremiumProduct[] = ['access', 'tiers', 'distribution', 'export'];

const BESIDE_ARCHIVE = prose(
  m`The first board of each day is free, without names, in the [archive](site:/archive). What is sold here is fresher, named or aggregated.`,
);

export const premium: Guide = {
  slug: 'premium',
  title: 'Premium analytics',
  about: 'Whole boards, tiers and distributions, paid per request in a stablecoin (x402).',
  offered: ({ premium: settings }) => settings !== null,
  parts: ({ siteUrl, archive, premium: settings }) => [
    lede(
      m`The board, profiles and everything else on these pages are free. Each request that reads a whole board costs a small amount. You need no account and no key.`,
    ),
    table({
      caption: 'Premium routes',
      className: 'stacked',
      columns: [
        { label: 'GET', is: ['row'] },
        { label: settings?.token.symbol ?? '', is: ['number'] },
        { label: 'Content' },
      ],
      rows: PRODUCTS.map((product) => [
        PREMIUM_PATHS[product],
        settings === null ? '' : priceOf(product, settings),
        PREMIUM_SUMMARIES[product],
      ]),
    }),
    ...(archive === null ? [] : [BESIDE_ARCHIVE]),
    heading(2, 'How to pay'),
    prose(
      m`These routes support x402, versions 1 and 2. A request without a payment gets a 402 response: the PAYMENT-REQUIRED header contains the challenge for version 2, and the body contains the one for version 1. An x402 client signs a transfer and repeats the request with PAYMENT-SIGNATURE or X-PAYMENT.`,
    ),
    codeBlock('sh', `curl -i ${siteUrl}${PREMIUM_PATHS.access}`, 'Request the challenge (free)'),
    bullets(
      m`The challenge contains the network, token, price and payee of this installation. Its prices may differ from those above; the challenge is authoritative.`,
      m`The payment is settled only when the response is ready. An error means that nothing was paid, with one exception: after [payment_unsettled](site:/developers/errors/payment_unsettled), the outcome of the payment is not known yet.`,
      m`If you lose a response, repeat the request with the same payment and the Answer-Receipt of the first response. For 10 minutes you get the same response and do not pay again. Keep the receipt secret: payments are public on the chain, receipts are not.`,
      m`If the first response never arrives, repeating the request returns [payment_reused](site:/developers/errors/payment_reused), whose detail contains a text. Sign that text with the paying account (EIP-191, personal_sign) and repeat the request with the signature in Answer-Claim.`,
      m`A payment buys one GET. Reusing it for another address returns [payment_reused](site:/developers/errors/payment_reused).`,
    ),
    heading(2, 'Board version of a response'),
    prose(
      m`Each response is computed from one board version, at most a minute old, which is named in the Board-Version header. Ranks and Yields belong to that version; ratios, platforms and names are current when the response is made.`,
    ),
  ],
};

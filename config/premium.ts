import type { Env } from './env.ts';
import { PREMIUM_PRICES, type PremiumProduct } from './premium-prices.ts';
import { DEVELOPMENT_PAYEE, PAYMENT_NETWORKS, type PaymentToken } from './x402-networks.ts';

/** Settings of payments per request with a stablecoin (x402). */
export type PremiumConfig = Readonly<NonNullable<ReturnType<typeof readPremium>>>;

/**
 * The settings of payments per request; null when closed, which is without a payee. Only a local installation falls back to
 * the development payee. Appends to `problems`.
 */
export function readPremium(env: Env, local: boolean, problems: string[]) {
  const payTo = env.X402_PAY_TO ?? (local ? DEVELOPMENT_PAYEE : undefined);
  if (payTo === undefined) return null;
  const known = PAYMENT_NETWORKS[env.X402_NETWORK];
  if (!local) problems.push(...productionProblems(payTo, env.X402_NETWORK, known?.test === true));
  const token = readToken(env, problems);
  if (token === null) return null;
  const network: `eip155:${number}` = `eip155:${Number(env.X402_NETWORK.slice('eip155:'.length))}`;
  return {
    /** CAIP-2. */
    network,
    /** The network's name for people. */
    networkTitle: known?.title ?? env.X402_NETWORK,
    /** The network's name in version 1 of x402; null when it has none, and version 1 is not offered. */
    v1Network: known?.v1Name ?? null,
    /** Whether the tokens have no value. */
    testNetwork: known?.test ?? false,
    token,
    payTo,
    /** The facilitator that verifies and settles payments; null: a presented payment gets a problem response. */
    facilitatorUrl: env.X402_FACILITATOR_URL?.replace(/\/+$/, '') ?? null,
    /** The JSON-RPC endpoint for finding the outcome of a payment that the facilitator did not report; null: none. */
    rpcUrl: env.X402_RPC_URL ?? known?.rpcUrl ?? null,
    prices: readPrices(env.X402_PRICE, token, problems),
  };
}

function productionProblems(payTo: string, network: string, isTest: boolean): string[] {
  const problems: string[] = [];
  if (payTo.toLowerCase() === DEVELOPMENT_PAYEE.toLowerCase()) {
    problems.push('X402_PAY_TO is the development payee, which has no private key: payments to it are lost');
  }
  if (isTest) {
    problems.push(
      `X402_NETWORK is ${network}, a test network, but this is not a local installation: its tokens have no value. Set it to eip155:8453 for Base`,
    );
  }
  return problems;
}

function readToken(env: Env, problems: string[]): PaymentToken | null {
  const usdc = PAYMENT_NETWORKS[env.X402_NETWORK]?.usdc;
  const { X402_ASSET: address = usdc?.address, X402_ASSET_NAME: name, X402_ASSET_VERSION: version } = env;
  if (usdc !== undefined && address?.toLowerCase() === usdc.address.toLowerCase()) return usdc;
  if (address === undefined) {
    problems.push(`X402_ASSET is not set, and no token of ${env.X402_NETWORK} is known`);
    return null;
  }
  if (name === undefined || version === undefined) {
    problems.push(
      'X402_ASSET is an unknown token: X402_ASSET_NAME and X402_ASSET_VERSION must give its EIP-712 domain',
    );
    return null;
  }
  return { address, symbol: 'USDC', name, version, decimals: env.X402_ASSET_DECIMALS };
}

/** The prices in the token's smallest unit. */
function readPrices(access: string, { decimals }: PaymentToken, problems: string[]) {
  const toUnits = (price: string): bigint => {
    const units = toSmallestUnits(price, decimals);
    if (units === null)
      problems.push(`X402_PRICE or X402_ASSET_DECIMALS: ${price} is not a multiple of the token's smallest unit`);
    return units ?? 0n;
  };
  const { tiers, distribution, export: whole } = PREMIUM_PRICES;
  return {
    access: toUnits(access),
    tiers: toUnits(tiers),
    distribution: toUnits(distribution),
    export: toUnits(whole),
  } satisfies Record<PremiumProduct, bigint>;
}

/** A decimal price in a token's smallest units; null when it is not a multiple of one. */
export function toSmallestUnits(price: string, decimals: number): bigint | null {
  const [whole = '', fraction = ''] = price.split('.');
  const kept = fraction.replace(/0+$/, '');
  return kept.length > decimals ? null : BigInt(whole + kept.padEnd(decimals, '0'));
}

/** An amount in a token's smallest units as a decimal price, with at least two decimals. */
export function fromSmallestUnits(units: bigint, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}

import type { Env } from './env.ts';
import { PREMIUM_PRICES, type PremiumProduct } from './premium-prices.ts';
import { DEVELOPMENT_PAYEE, PAYMENT_NETWORKS, type PaymentToken } from './x402-networks.ts';

/** Settings of payments per request with a stablecoin (x402). */
export type PremiumConfig = Readonly<NonNullable<ReturnType<typeof readPremium>>>;

/** Null without a payee: closed. Only a local installation has the development payee. Appends to `problems`. */
export function readPremium(env: Env, local: boolean, problems: string[]) {
  const payTo = env.X402_PAY_TO ?? (local ? DEVELOPMENT_PAYEE : undefined);
  if (payTo === undefined) return null;
  const network = env.X402_NETWORK;
  const { title, v1Name, test, usdc } = PAYMENT_NETWORKS[network];
  if (!local) problems.push(...productionProblems(payTo, network, test));
  return {
    /** CAIP-2. */
    network,
    /** The network's name for people. */
    networkTitle: title,
    /** The network's name in version 1 of x402. */
    v1Network: v1Name,
    /** Whether the tokens have no value. */
    testNetwork: test,
    token: usdc,
    payTo,
    /** The facilitator that verifies and settles payments; null: a presented payment gets a problem response. */
    facilitatorUrl: env.X402_FACILITATOR_URL?.replace(/\/+$/, '') ?? null,
    /** The JSON-RPC endpoint for finding the outcome of a payment that the facilitator did not report; null: none. */
    rpcUrl: readRpcUrl(env),
    prices: readPrices(env.X402_PRICE, usdc),
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

/** Null, which only tests set: no chain is read. */
function readRpcUrl(env: Env): string | null {
  return env.X402_RPC_URL ?? PAYMENT_NETWORKS[env.X402_NETWORK].rpcUrl;
}

/** The prices in the token's smallest unit. */
function readPrices(access: string, { decimals }: PaymentToken) {
  const { tiers, distribution, export: whole } = PREMIUM_PRICES;
  return {
    access: toSmallestUnits(access, decimals),
    tiers: toSmallestUnits(tiers, decimals),
    distribution: toSmallestUnits(distribution, decimals),
    export: toSmallestUnits(whole, decimals),
  } satisfies Record<PremiumProduct, bigint>;
}

/** A decimal price in a token's smallest units. Throws RangeError when it is not a multiple of one. */
export function toSmallestUnits(price: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = price.split('.');
  if (fraction.length > decimals) throw new RangeError(`${price} has more than ${decimals} decimals`);
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** An amount in a token's smallest units as a decimal price, with at least two decimals. */
export function fromSmallestUnits(units: bigint, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}

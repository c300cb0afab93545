import { randomBytes } from 'node:crypto';
import type { Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import * as z from 'zod';
import { USDC } from './usdc.ts';

/** A payment as a client of x402 version 2 makes it, for a test to change. */
export interface TestPayment {
  x402Version: number;
  accepted: {
    scheme: string;
    network: string;
    amount: string;
    asset: string;
    payTo: string;
    maxTimeoutSeconds: number;
    extra: Record<string, string>;
  };
  payload: {
    signature: string;
    authorization: {
      from: string;
      to: string;
      value: string;
      validAfter: string;
      validBefore: string;
      nonce: string;
    };
  };
}

export interface PaymentWishes {
  readonly to: Hex;
  readonly units?: bigint;
  /** Seconds since the epoch. */
  readonly validAfter?: number;
  readonly validBefore?: number;
  readonly nonce?: Hex;
}

/** What a seller asks for: a cent of a stablecoin. */
export const termsOf = (asset: Hex, payTo: Hex) =>
  ({
    network: 'eip155:84532',
    asset,
    domain: { name: 'USDC', version: '2' },
    currency: 'USDC',
    amount: '10000',
    payTo,
    maxTimeoutSeconds: 300,
  }) as const;

const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** Signs a payment; valid from ten minutes ago for the next five unless the wishes say otherwise. */
export async function signPayment(payer: PrivateKeyAccount, wishes: PaymentWishes): Promise<TestPayment> {
  const now = Math.floor(Date.now() / 1_000);
  const { to, units = 10_000n, validAfter = now - 600, validBefore = now + 300 } = wishes;
  const nonce = wishes.nonce ?? newNonce();
  const message = {
    from: payer.address,
    to,
    value: units,
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
    nonce,
  };
  const domain = { name: 'USDC', version: '2', chainId: 84_532, verifyingContract: USDC };
  const signature = await payer.signTypedData({
    domain,
    types: TYPES,
    primaryType: 'TransferWithAuthorization',
    message,
  });
  const value = String(units);
  return {
    x402Version: 2,
    accepted: {
      scheme: 'exact',
      network: 'eip155:84532',
      amount: value,
      asset: USDC,
      payTo: to,
      maxTimeoutSeconds: 300,
      extra: { name: 'USDC', version: '2' },
    },
    payload: {
      signature,
      authorization: {
        from: payer.address,
        to,
        value,
        validAfter: String(validAfter),
        validBefore: String(validBefore),
        nonce,
      },
    },
  };
}

/** The documented text with which a payer without a receipt claims a response. */
export function claimTextOf({ payload, accepted }: TestPayment, request: string): string {
  const { from, nonce } = payload.authorization;
  const payment = `${accepted.network}/${accepted.asset}/${from}/${nonce}`.toLowerCase();
  return `Upsilon: I claim the answer to ${request}, paid for by ${payment}`;
}

export function newNonce(): Hex {
  return `0x${randomBytes(32).toString('hex')}`;
}

/** The header of version 2 that presents a payment. */
export function presented(payment: unknown): Record<string, string> {
  return { 'payment-signature': encoded(payment) };
}

/** The same payment in the header of version 1. */
export function presentedAsVersion1({ payload }: TestPayment): Record<string, string> {
  return { 'x-payment': encoded({ x402Version: 1, scheme: 'exact', network: 'base-sepolia', payload }) };
}

export function encoded(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value), 'utf8').toString('base64');
}

/** What a header of x402 holds. */
export function decoded(header: string | null): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(Buffer.from(header ?? '', 'base64').toString('utf8')));
}

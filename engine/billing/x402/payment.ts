import { createHash } from 'node:crypto';
import type { Hex } from 'viem';

/** Requirements for a payment, as sent to the facilitator (x402 version 2, scheme `exact`). */
export interface PaymentTerms {
  /** CAIP-2. */
  readonly network: `${string}:${string}`;
  /** Address of the token, and its EIP-712 domain. */
  readonly asset: string;
  readonly domain: { readonly name: string; readonly version: string };
  /** The token's symbol. */
  readonly currency: string;
  /** A whole number of the token's smallest unit, as text. */
  readonly amount: string;
  readonly payTo: string;
  /** Seconds. */
  readonly maxTimeoutSeconds: number;
}

/** A payer's signed permission to move tokens (EIP-3009). Numbers are decimal texts, times in seconds. */
export interface SignedTransfer {
  readonly signature: string;
  readonly authorization: {
    readonly from: string;
    readonly to: string;
    readonly value: string;
    readonly validAfter: string;
    readonly validBefore: string;
    readonly nonce: string;
  };
}

/** A signature by a key; those of contracts are longer (ERC-1271, ERC-6492). */
export const EOA_SIGNATURE = /^0x[0-9a-f]{130}$/i;

/** Identifies a payment as the chain does: a payer can use a nonce once per token. */
export function paymentIdOf(transfer: SignedTransfer, { network, asset }: PaymentTerms): string {
  const { from, nonce } = transfer.authorization;
  return `${network}/${asset}/${from}/${nonce}`.toLowerCase();
}

/** Distinguishes payments with the same id: equal authorizations with equal signatures have equal digests. */
export function digestOf({ signature, authorization }: SignedTransfer): string {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const text = [signature, from, to, value, validAfter, validBefore, nonce].join(' ').toLowerCase();
  return createHash('sha256').update(text).digest('base64url');
}

/** A hexadecimal text in lower case: viem refuses addresses in mixed case whose checksum is wrong. */
export function hex(text: string): Hex {
  return `0x${text.replace(/^0x/i, '').toLowerCase()}`;
}

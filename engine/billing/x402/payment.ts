import { createHash } from 'node:crypto';
import type { Hex } from 'viem';
import type { PaymentTerms, SignedTransfer } from '../types.ts';

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

import type { PaymentTerms, SignedTransfer } from '../types.ts';
import { EOA_SIGNATURE, hex } from './payment.ts';

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

/**
 * Whether the payer's key signed a payment (EIP-3009). `contract`: the signature is longer than that of a key, and only the
 * chain can check it (ERC-1271, ERC-6492).
 */
export async function verifySignature(
  { signature, authorization }: SignedTransfer,
  { network, asset, domain }: PaymentTerms,
): Promise<'valid' | 'invalid' | 'contract'> {
  if (!EOA_SIGNATURE.test(signature)) return 'contract';
  const { verifyTypedData } = await import('viem/utils');
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const chainId = Number(network.slice(network.indexOf(':') + 1));
  const signed = verifyTypedData({
    address: hex(from),
    domain: { ...domain, chainId, verifyingContract: hex(asset) },
    types: TYPES,
    primaryType: 'TransferWithAuthorization',
    message: {
      from: hex(from),
      to: hex(to),
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce: hex(nonce),
    },
    signature: hex(signature),
  });
  // Throws when the signature is not a point on the curve, and when a number exceeds 256 bits.
  return (await signed.catch(() => false)) ? 'valid' : 'invalid';
}

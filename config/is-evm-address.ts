import { keccak_256 } from '@noble/hashes/sha3';

/**
 * Whether a text is an address of an EVM chain. Letters of both cases are a checksum (EIP-55), which must be valid: it
 * protects payments against typing errors.
 */
export function isEvmAddress(text: string): boolean {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return false;
  const digits = text.slice(2);
  const lower = digits.toLowerCase();
  if (digits === lower || digits === digits.toUpperCase()) return true;
  const hash = keccak_256(new TextEncoder().encode(lower));
  return Array.from(lower, (digit, index) => {
    const nibble = (hash[index >> 1]! >> (index % 2 === 0 ? 4 : 0)) & 0xf;
    return nibble >= 8 ? digit.toUpperCase() : digit;
  }).every((digit, index) => digit === digits[index]);
}

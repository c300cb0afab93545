import { encodeFunctionData, type Hex, toEventSelector } from 'viem';
import type { TestPayment } from './payments.ts';
import { TOKEN_ABI, USDC } from './usdc.ts';

/** Programs of contracts that answer every call with the magic value of ERC-1271, and with another one. */
export const YES_TO_ALL = '0x631626ba7e60e01b60005260206000f3';
export const NO_TO_ALL = '0x63ffffffff60e01b60005260206000f3';

/** The call of the token that carries a payment out. */
export function transferOf({ payload: { signature, authorization } }: TestPayment): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const args = [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature];
  return encodeFunctionData({ abi: TOKEN_ABI, functionName: 'transferWithAuthorization', args });
}

/** A contract that calls the token in one transaction, and logs a transfer event if one is given. */
export function batchProgram(
  calls: readonly Hex[],
  log: { readonly from: Hex; readonly to: Hex; readonly value: bigint } | null,
): Hex {
  const transfer = toEventSelector('Transfer(address,address,uint256)');
  // MSTORE of the value, LOG3 of event, payer and payee.
  const logging =
    log === null
      ? ''
      : `7f${word(log.value.toString(16))}6000527f${word(log.to)}7f${word(log.from)}7f${word(transfer)}60206000a3`;
  const data = calls.map((call) => call.slice(2));
  const bytesOfCall = 44;
  let at = logging.length / 2 + calls.length * bytesOfCall + 1;
  const calling = data.map((text) => {
    const length = two(text.length / 2);
    // CODECOPY of the data, CALL of the token with it, POP of the outcome.
    const code = `61${length}61${two(at)}600039${'6000'.repeat(2)}61${length}${'6000'.repeat(2)}73${USDC.slice(2)}5af150`;
    at += text.length / 2;
    return code;
  });
  return `0x${logging}${calling.join('')}00${data.join('')}`;
}

function word(text: string): string {
  return text.replace(/^0x/, '').toLowerCase().padStart(64, '0');
}

function two(value: number): string {
  return value.toString(16).padStart(4, '0');
}

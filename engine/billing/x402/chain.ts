import type { Hex } from 'viem';
import type { PaymentTerms, SignedTransfer } from '../types.ts';
import { CHAIN_LOOKBACK_BLOCKS, CHAIN_TIMEOUT_MS } from './limits.ts';
import { hex } from './payment.ts';

export type Chain = ReturnType<typeof createChain>;

/**
 * Reads payments from the chain through a JSON-RPC server, only when the facilitator's result is unknown, and for signatures
 * of contracts. Its library is loaded on first use, which is rare.
 */
export function createChain(rpcUrl: string) {
  const open = async () => {
    const { createPublicClient, http } = await import('viem');
    return createPublicClient({ transport: http(rpcUrl, { timeout: CHAIN_TIMEOUT_MS, retryCount: 0 }) });
  };
  return {
    /** Whether a contract confirms its signature (ERC-1271, ERC-6492). @throws when the chain cannot be read. */
    isSigned: async (signed: { readonly address: Hex; readonly message: string; readonly signature: Hex }) =>
      (await open()).verifyMessage(signed),

    /**
     * `paid`: to the configured address; `spent`: in another way (cancelled by its payer); `unused`: may change while the payment is valid.
     * @throws when the chain cannot be read, or the payment was spent before the searched blocks.
     */
    async find({ authorization }: SignedTransfer, { asset, payTo }: PaymentTerms) {
      const { isAddressEqual, parseAbi, parseEventLogs } = await import('viem');
      const client = await open();
      const abi = parseAbi(TOKEN_ABI);
      const address = hex(asset);
      const by = { authorizer: hex(authorization.from), nonce: hex(authorization.nonce) };
      const args = [by.authorizer, by.nonce] as const;
      const used = await client.readContract({ address, abi, functionName: 'authorizationState', args });
      if (!used) return { kind: 'unused' } as const;
      const newest = await client.getBlockNumber();
      const fromBlock = newest > CHAIN_LOOKBACK_BLOCKS ? newest - CHAIN_LOOKBACK_BLOCKS : 0n;
      const range = { address, abi, args: by, fromBlock } as const;
      const [use] = await client.getContractEvents({ ...range, eventName: 'AuthorizationUsed' });
      if (use === undefined) {
        const cancelled = await client.getContractEvents({ ...range, eventName: 'AuthorizationCanceled' });
        if (cancelled.length > 0) return { kind: 'spent' } as const;
        throw new Error('a payment was spent before the searched blocks of the chain');
      }
      const { logs } = await client.getTransactionReceipt({ hash: use.transactionHash });
      const transfers = parseEventLogs({ abi, eventName: 'Transfer', logs });
      const paid = transfers.some(
        ({ address: token, args: { from, to, value } }) =>
          isAddressEqual(token, address) &&
          isAddressEqual(from, by.authorizer) &&
          isAddressEqual(to, hex(payTo)) &&
          value === BigInt(authorization.value),
      );
      if (!paid) return { kind: 'spent' } as const;
      return { kind: 'paid', transaction: use.transactionHash } as const;
    },
  };
}

/** The used parts of EIP-3009 and ERC-20. */
const TOKEN_ABI = [
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
] as const;

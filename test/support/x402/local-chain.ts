import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createPublicClient, createTestClient, type Hex, http } from 'viem';
import { createNonceManager, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { baseSepolia } from 'viem/chains';
import { jsonRpc } from 'viem/nonce';
import { freePort } from '../../../ops/local/free-port.ts';
import { eventually } from '../eventually.ts';
import { findAnvil } from './find-anvil.ts';
import { deployToken, TOKEN_ABI, USDC } from './usdc.ts';
import { walletOf } from './wallet-of.ts';

/** The chain's public development keys, which have funds on every chain of this program. */
const KEYS: readonly Hex[] = [
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
];

/** A local chain with the id of Base Sepolia, and Circle's USDC at its usual address. */
export class LocalChain implements AsyncDisposable {
  readonly rpcUrl: string;
  readonly facilitator: PrivateKeyAccount;
  readonly payer: PrivateKeyAccount;
  readonly seller: PrivateKeyAccount;
  /** The key of the payer, for clients that make accounts of their own. */
  readonly payerKey: Hex = KEYS[2]!;
  readonly #process: ChildProcess;
  readonly #admin: ReturnType<typeof walletOf>;

  constructor(child: ChildProcess, rpcUrl: string) {
    this.#process = child;
    this.rpcUrl = rpcUrl;
    // Of this chain alone: the library's own one goes on counting from a former chain of the same number.
    const nonceManager = createNonceManager({ source: jsonRpc() });
    const [admin, facilitator, payer, seller] = KEYS.map((key) => privateKeyToAccount(key, { nonceManager }));
    this.#admin = walletOf(admin!, rpcUrl);
    this.facilitator = facilitator!;
    this.payer = payer!;
    this.seller = seller!;
  }

  /** Puts the token there, and gives the payer some of it. */
  async prepare(payerUnits: bigint): Promise<void> {
    await deployToken(this.#admin);
    await this.mint(this.payer.address, payerUnits);
  }

  async mint(to: Hex, units: bigint): Promise<void> {
    await this.write(this.#admin, 'mint', [to, units]);
  }

  async balanceOf(of: Hex): Promise<bigint> {
    const [units] = [await this.read('balanceOf', [of])];
    if (typeof units !== 'bigint') throw new Error('no balance');
    return units;
  }

  read(functionName: string, args: readonly unknown[]): Promise<unknown> {
    const client = createPublicClient({ chain: baseSepolia, transport: http(this.rpcUrl) });
    return client.readContract({ address: USDC, abi: TOKEN_ABI, functionName, args });
  }

  /** Calls the token as an account, and waits until it is on the chain. */
  async write(wallet: ReturnType<typeof walletOf>, functionName: string, args: readonly unknown[]): Promise<void> {
    const hash = await wallet.writeContract({ address: USDC, abi: TOKEN_ABI, functionName, args });
    const { status } = await wallet.waitForTransactionReceipt({ hash, pollingInterval: 20 });
    if (status !== 'success') throw new Error(`${functionName} was reverted`);
  }

  /** Puts a program at an address. */
  async setCode(address: Hex, code: Hex): Promise<void> {
    const client = createTestClient({ chain: baseSepolia, mode: 'anvil', transport: http(this.rpcUrl) });
    await client.setCode({ address, bytecode: code });
  }

  wallet(account: PrivateKeyAccount): ReturnType<typeof walletOf> {
    return walletOf(account, this.rpcUrl);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill();
    await ended;
  }
}

/** Starts a chain; `this.skip()` where `findAnvil` says that there is none. */
export async function startChain(payerUnits = 5_000_000n): Promise<LocalChain> {
  const found = findAnvil();
  if ('missing' in found) throw new Error(found.missing);
  const port = await freePort();
  const child = spawn(found.path, ['--chain-id', String(baseSepolia.id), '--port', String(port), '--silent'], {
    stdio: 'ignore',
  });
  const rpcUrl = `http://127.0.0.1:${port}`;
  const chain = new LocalChain(child, rpcUrl);
  const client = createPublicClient({ chain: baseSepolia, transport: http(rpcUrl, { retryCount: 0 }) });
  await eventually('the chain', async () => (await client.getChainId()) === baseSepolia.id);
  await chain.prepare(payerUnits);
  return chain;
}

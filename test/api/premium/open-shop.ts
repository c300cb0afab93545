import { loadConfig } from '../../../config/config.ts';
import { openSiteFixture } from '../../support/site-field.ts';
import { openTestApi, type TestApi, type TestApiOptions } from '../../support/test-api.ts';
import { chainFacilitator } from '../../support/x402/chain-facilitator.ts';
import { type LocalChain, startChain } from '../../support/x402/local-chain.ts';
import { type LocalFacilitator, startFacilitator } from '../../support/x402/local-facilitator.ts';

/** What opening a shop takes: who gets the money, who settles, and where the chain is read, if anywhere. */
export interface ShopOptions extends Omit<TestApiOptions, 'settings'> {
  readonly payTo: string;
  readonly facilitatorUrl: string;
  readonly rpcUrl?: string;
}

function optionsOf({ payTo, facilitatorUrl, rpcUrl, ...rest }: ShopOptions): TestApiOptions {
  const { premium } = loadConfig({ X402_PAY_TO: payTo, X402_FACILITATOR_URL: facilitatorUrl });
  return { ...rest, settings: { premium: premium && { ...premium, rpcUrl: rpcUrl ?? null } } };
}

/** An api with payments on an empty board. Its clock returns the current time, because payments are valid for minutes. */
export async function openShop(options: ShopOptions): Promise<TestApi> {
  const test = await openTestApi(optionsOf(options));
  test.now = Date.now();
  return test;
}

/** The same with a field of operators on the board. */
export async function openShopWithPopulation(options: ShopOptions): Promise<TestApi> {
  const test = await openSiteFixture(2, 60, optionsOf(options));
  test.now = Date.now();
  return test;
}

/** A shop, its facilitator and the local chain that both use. */
export interface ChainShop extends AsyncDisposable {
  readonly chain: LocalChain;
  readonly facilitator: LocalFacilitator;
  readonly test: TestApi;
}

export async function openChainShop(): Promise<ChainShop> {
  const chain = await startChain();
  const facilitator = await startFacilitator(chainFacilitator(chain));
  const { address: payTo } = chain.seller;
  // A machine that is busy with other tests is slow, and that is not what is tested here.
  const timeouts = { verifyTimeoutMs: 30_000, settleTimeoutMs: 45_000 };
  const test = await openShop({ payTo, facilitatorUrl: facilitator.url, rpcUrl: chain.rpcUrl, timeouts });
  return {
    chain,
    facilitator,
    test,
    async [Symbol.asyncDispose]() {
      await test[Symbol.asyncDispose]();
      await facilitator[Symbol.asyncDispose]();
      await chain[Symbol.asyncDispose]();
    },
  };
}

import { loadConfig } from '../../../config/config.ts';
import { openTestApi, type TestApi, type TestApiOptions } from '../../support/api-ports.ts';
import { openSiteField } from '../../support/site-field.ts';

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

/** An api that sells, on an empty board. Its clock tells the present time: payments are valid for minutes. */
export async function openShop(options: ShopOptions): Promise<TestApi> {
  const test = await openTestApi(optionsOf(options));
  test.now = Date.now();
  return test;
}

/** The same with a field of operators on the board. */
export async function openShopWithField(options: ShopOptions): Promise<TestApi> {
  const test = await openSiteField(2, 60, optionsOf(options));
  test.now = Date.now();
  return test;
}

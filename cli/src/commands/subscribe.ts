import { createInterface } from 'node:readline/promises';
import { findIdentity, requireTokens } from '../auth/identity.ts';
import { openBrowser } from '../auth/open-browser.ts';
import { CliError } from '../cli-error.ts';
import type { Environment } from '../environment.ts';
import type { ExitName } from '../exit-codes.ts';
import { isObject } from '../json.ts';
import { openSettingsClient } from '../net/open-settings-client.ts';
import { isWebAddress } from '../net/web-address.ts';
import type { Screen } from '../output/screen.ts';
import type { Settings } from '../settings.ts';

export interface SubscribeFlags {
  readonly annual?: boolean | undefined;
  /** Open the checkout without asking. */
  readonly yes?: boolean | undefined;
}

/** Starts a subscription and, with consent, opens its checkout in the browser. */
export async function subscribeCommand(
  settings: Settings,
  env: Environment,
  screen: Screen,
  flags: SubscribeFlags,
): Promise<ExitName> {
  const plan = flags.annual === true ? 'annual' : 'monthly';
  const address = await startCheckout(settings, env, screen, plan);
  if (flags.yes === true || (await isAgreed('Open it in your browser?', screen))) await open(address, env, screen);
  screen.result({ base_url: settings.baseUrl, plan, checkout_url: address });
  return 'ok';
}

/**
 * Offers a plan when a submission needs one: asks, and opens the checkout after a yes. Does nothing without a terminal.
 * Throws what the service's refusal becomes (`CliError`).
 */
export async function offerPlan(settings: Settings, env: Environment, screen: Screen): Promise<void> {
  if (!canAsk(screen)) return;
  if (!(await isAgreed('Start a monthly plan, and open its checkout in your browser?', screen))) return;
  await open(await startCheckout(settings, env, screen, 'monthly'), env, screen);
}

async function startCheckout(
  settings: Settings,
  env: Environment,
  screen: Screen,
  plan: 'monthly' | 'annual',
): Promise<string> {
  const client = openSettingsClient(settings.baseUrl, requireTokens(await findIdentity(settings, env)), screen);
  const { body } = await client.post('/billing/subscribe', JSON.stringify({ plan }));
  const address = isObject(body) ? body['checkout_url'] : undefined;
  if (!isWebAddress(address)) {
    throw new CliError('network', 'answer_unexpected', `${settings.baseUrl} returned no checkout address`);
  }
  screen.printWrapped(`Checkout of the ${plan} plan:`);
  screen.print(address);
  return address;
}

async function open(address: string, env: Environment, screen: Screen): Promise<void> {
  const isOpened = env.display && (await openBrowser(address, env.os));
  if (!isOpened) screen.printWrapped('No browser could be opened: visit the address above.');
  screen.printWrapped('After paying, run: upsilon');
}

/** Asks at the terminal; false without one, so that a script never blocks. */
async function isAgreed(question: string, screen: Screen): Promise<boolean> {
  if (!canAsk(screen)) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } catch {
    // End of input counts as no.
    return false;
  } finally {
    terminal.close();
  }
}

function canAsk(screen: Screen): boolean {
  return !screen.json && process.stdin.isTTY && process.stdout.isTTY;
}

import { createInterface } from 'node:readline/promises';
import { findIdentity, requireTokens } from '../auth/identity.ts';
import { openBrowser } from '../auth/open-browser.ts';
import { CliError } from '../cli-error.ts';
import type { Environment } from '../environment.ts';
import type { ExitName } from '../exit-codes.ts';
import { isObject } from '../json.ts';
import { openSettingsClient } from '../net/open-settings-client.ts';
import type { Screen } from '../output/screen.ts';
import type { Settings } from '../settings.ts';

/** What `subscribe` was asked for. */
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
  const client = openSettingsClient(settings.baseUrl, requireTokens(await findIdentity(settings, env)), screen);
  const plan = flags.annual === true ? 'annual' : 'monthly';
  const { body } = await client.post('/billing/subscribe', JSON.stringify({ plan }));
  const address = isObject(body) ? body['checkout_url'] : undefined;
  if (typeof address !== 'string' || !/^https?:\/\//.test(address)) {
    throw new CliError('network', 'answer_unexpected', `${settings.baseUrl} gave no checkout address`);
  }
  screen.say(`Checkout of the ${plan} plan:`);
  screen.print(address);
  if (await isWanted(flags, screen)) await openBrowser(address, env.os);
  screen.result({ base_url: settings.baseUrl, plan, checkout_url: address });
  return 'ok';
}

/** Nothing is opened without a yes: given as a flag, or at the terminal. */
async function isWanted(flags: SubscribeFlags, screen: Screen): Promise<boolean> {
  if (flags.yes === true) return true;
  if (screen.json || !process.stdin.isTTY || !process.stdout.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question('Open it in your browser? [y/N] ')).trim());
  } finally {
    terminal.close();
  }
}

import { openSignedInClient } from '../auth/identity.ts';
import { openBrowser } from '../auth/open-browser.ts';
import { CliError } from '../cli-error.ts';
import type { Command, CommandContext } from '../command-context.ts';
import { objectOf } from '../json.ts';
import { isWebAddress } from '../net/web-address.ts';
import { isAgreed } from '../output/is-agreed.ts';

export interface SubscribeOptions {
  readonly annual?: boolean | undefined;
  /** Open the checkout without asking. */
  readonly yes?: boolean | undefined;
}

/** Starts a subscription and, with consent, opens its checkout in the browser. */
export const subscribeCommand: Command<SubscribeOptions> = async (context) => {
  const { settings, screen, options } = context;
  const plan = options.annual === true ? 'annual' : 'monthly';
  const address = await startCheckout(context, plan);
  if (options.yes === true || (await isAgreed('Open it in your browser?', screen))) await open(address, context);
  screen.result({ base_url: settings.baseUrl, plan, checkout_url: address });
  return 'ok';
};

/** Asks on a terminal whether to open the checkout, when a submission needs a plan. Throws the service's refusal (`CliError`). */
export async function offerPlan(context: CommandContext): Promise<void> {
  if (!(await isAgreed('Start a monthly plan, and open its checkout in your browser?', context.screen))) return;
  await open(await startCheckout(context, 'monthly'), context);
}

async function startCheckout(context: CommandContext, plan: 'monthly' | 'annual'): Promise<string> {
  const { settings, screen } = context;
  const client = await openSignedInClient(context);
  const { body } = await client.post('/billing/subscribe', JSON.stringify({ plan }));
  const { checkout_url: address } = objectOf(body);
  if (!isWebAddress(address)) {
    throw new CliError('network', 'answer_unexpected', `${settings.baseUrl} returned no checkout address`);
  }
  screen.printWrapped(`Checkout of the ${plan} plan:`);
  screen.print(address);
  return address;
}

async function open(address: string, { env, screen }: CommandContext): Promise<void> {
  const isOpened = env.display && (await openBrowser(address, env.os));
  if (!isOpened) screen.printWrapped('No browser could be opened: visit the address above.');
  screen.printWrapped('After paying, run: upsilon');
}

import { type Command, InvalidArgumentError, Option } from 'commander';
import { type CardBilling, StripeUnavailableError } from '../../engine/billing/index.ts';
import { PAYMENT_FORMATS, type PaymentFormat, paymentLines } from './billing/payment-lines.ts';
import type { CommandContext } from './command-context.ts';
import { CommandError } from './command-error.ts';
import { type Service, withService } from './service.ts';

/** `billing setup | reconcile | payments export`. */
export function addBillingCommands(program: Command, context: CommandContext): void {
  const billing = program.command('billing').description('Subscriptions by card, and the records of money.');

  billing
    .command('setup')
    .description('Find or create the product and the prices at Stripe, as the settings say. Safe to repeat.')
    .action(() =>
      withCard(context, async (card) => {
        for (const { plan, price, done } of await card.setUp()) {
          context.print(`The ${plan} price was ${done}: ${price}.\n`);
        }
      }),
    );

  billing
    .command('reconcile')
    .description('Compare with Stripe what is known of subscriptions, and repair it. A worker does so every day.')
    .action(() =>
      withCard(context, async (card) => {
        const { accounts, differingAccounts, missedEvents } = await card.compare();
        context.print(
          `Compared ${accounts} accounts: ${differingAccounts} differed. ${missedEvents} events had not come. All is repaired.\n`,
        );
      }),
    );

  billing
    .command('payments')
    .description('The records of money.')
    .command('export')
    .description('Print the records of a period, the oldest first. Amounts are whole minor units.')
    .requiredOption('--from <date>', 'the first day, or moment, in UTC, such as 2026-01-01', parseMoment)
    .requiredOption('--to <date>', 'where the period ends; that moment is not part of it', parseMoment)
    .addOption(new Option('--format <format>', 'of what is printed').choices(PAYMENT_FORMATS).default('csv'))
    .action((options: ExportOptions) => withService(context, (service) => exportPayments(service, context, options)));
}

interface ExportOptions {
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  readonly format: PaymentFormat;
}

async function exportPayments({ billing }: Service, { print }: CommandContext, options: ExportOptions): Promise<void> {
  const { from, to, format } = options;
  if (from >= to) throw new CommandError('the period ends before it begins', 'Give a later --to.');
  for await (const text of paymentLines(billing.payments.stream({ from, to }), format)) print(text);
}

async function withCard(context: CommandContext, use: (card: CardBilling) => Promise<void>): Promise<void> {
  await withService(context, async ({ billing: { card } }) => {
    if (card === null) {
      const next = 'Set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET, as the service has them.';
      throw new CommandError('Stripe is not set up', next);
    }
    try {
      await use(card);
    } catch (error) {
      if (!(error instanceof StripeUnavailableError)) throw error;
      throw new CommandError('Stripe does not answer', 'Try again later: the command may be repeated.', {
        cause: error,
      });
    }
  });
}

/** A day or a moment of ISO 8601, in UTC, as milliseconds since the epoch. */
function parseMoment(text: string): number {
  const at = /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at))
    throw new InvalidArgumentError('Give a day such as 2026-01-31, or a moment such as 2026-01-31T12:00:00Z.');
  return at;
}

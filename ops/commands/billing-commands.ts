import { type Command, Option } from 'commander';
import { type CardBilling, type Payment, StripeUnavailableError } from '../../engine/billing/index.ts';
import { type CommandContext, CommandError, commandGroup, numberParser } from './command-context.ts';
import { type Service, withService } from './service.ts';

const PAYMENT_FORMATS = ['csv', 'json'] as const;

type PaymentFormat = (typeof PAYMENT_FORMATS)[number];

const COLUMNS = [
  'occurred_at',
  'provider',
  'kind',
  'id',
  'amount',
  'currency',
  'asset',
  'subject',
  'references',
] as const;

/** `billing setup | reconcile | payments export`. */
export function addBillingCommands(program: Command, context: CommandContext): void {
  const add = commandGroup(program, 'billing', 'Card subscriptions and payment records.');

  add('setup', 'Find or create the product and the configured prices at Stripe. Safe to repeat.', 'text').action(() =>
    withCard(context, async (card) => {
      for (const { plan, price, done } of await card.setUp()) {
        context.print(`The ${plan} price was ${done}: ${price}.\n`);
      }
    }),
  );

  add(
    'reconcile',
    'Compare the stored subscriptions with Stripe and repair differences. A worker does so every day.',
    'text',
  ).action(() =>
    withCard(context, async (card) => {
      const { accounts, differingAccounts, missedEvents } = await card.compare();
      context.print(
        `Compared ${accounts} accounts: ${differingAccounts} differed and ${missedEvents} events were missing. All differences are repaired.\n`,
      );
    }),
  );

  add('payments', 'Payment records.', 'text')
    .command('export')
    .description('Print the payments of a period, oldest first. Amounts are in minor units.')
    .requiredOption('--from <date>', 'start of the period in UTC, inclusive, such as 2026-01-01', parseMoment)
    .requiredOption('--to <date>', 'end of the period in UTC, exclusive', parseMoment)
    .addOption(new Option('--format <format>', 'output format').choices(PAYMENT_FORMATS).default('csv'))
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
      const next = 'Set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET to the values of the service.';
      throw new CommandError('Stripe is not configured', next);
    }
    try {
      await use(card);
    } catch (error) {
      if (!(error instanceof StripeUnavailableError)) throw error;
      throw new CommandError('Stripe does not respond', 'Try again later: the command may be repeated.', {
        cause: error,
      });
    }
  });
}

/** Parses an ISO 8601 date or timestamp in UTC as milliseconds since the epoch. */
const parseMoment = numberParser(
  /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/,
  'Give a date such as 2026-01-31, or a timestamp such as 2026-01-31T12:00:00Z.',
  { read: Date.parse },
);

/** Payments as chunks of text: CSV (RFC 4180) or one JSON array. Amounts are in minor units. */
async function* paymentLines(payments: AsyncIterable<Payment>, format: PaymentFormat): AsyncIterable<string> {
  if (format === 'csv') {
    yield `${COLUMNS.join(',')}\r\n`;
    for await (const payment of payments) yield csvLine(rowOf(payment));
    return;
  }
  let before = '[\n';
  for await (const payment of payments) {
    yield `${before}${JSON.stringify(rowOf(payment))}`;
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

function rowOf({ occurredAt, ...payment }: Payment) {
  return { occurred_at: new Date(occurredAt).toISOString(), ...payment };
}

function csvLine(row: ReturnType<typeof rowOf>): string {
  const cells = COLUMNS.map((column) => {
    const value = row[column];
    const text = value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${cells.join(',')}\r\n`;
}

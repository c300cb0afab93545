import type { Payment } from '../../engine/billing/index.ts';

export const PAYMENT_FORMATS = ['csv', 'json'] as const;

export type PaymentFormat = (typeof PAYMENT_FORMATS)[number];

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

/** Payments as chunks of text: CSV (RFC 4180) or one JSON array. Amounts are in minor units. */
export async function* paymentLines(payments: AsyncIterable<Payment>, format: PaymentFormat): AsyncIterable<string> {
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

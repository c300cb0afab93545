import type { Registry } from 'prom-client';
import { defineMetrics } from './define-metrics.ts';

/** `failed`: the mail server did not take the message. */
export type MailOutcome = 'sent' | 'failed';

/** The returned function counts a mail that was given to the mail server. */
export function createMailMetric(registry: Registry): (outcome: MailOutcome) => void {
  const { counter } = defineMetrics(registry);
  const mails = counter('upsilon_mails_total', 'Mails by outcome', 'outcome');
  // Created with 0: an alert uses `increase()`, which does not see the first count of a new series.
  for (const outcome of ['sent', 'failed']) mails.inc({ outcome }, 0);
  return (outcome) => mails.inc({ outcome });
}

import type { CardParts } from '../card-parts.ts';
import { EVENT_REQUEUE_AFTER_MS, EVENT_RETENTION_MS, EVENT_RETRY_PERIOD_MS } from '../limits.ts';
import type { ApplyEvent } from './apply-event.ts';
import { isEventType } from './event-types.ts';
import { openSignedEvent, readEvent, type SignedBody } from './read-event.ts';

/** Outcome of a webhook. `stored`: apply the event with this id. */
type Received =
  | { readonly kind: 'stored' | 'known'; readonly id: string }
  /** Of an unused type: acknowledged, not stored. */
  | { readonly kind: 'ignored' }
  /** The signature is invalid or too old. */
  | { readonly kind: 'forged' };

/** Stripe's events, from arrival to deletion. */
export function createEvents(
  { stripe, events, report, clock }: CardParts,
  apply: ApplyEvent,
  secrets: readonly string[],
) {
  const receive = async ({ body, signature }: Pick<SignedBody, 'body' | 'signature'>): Promise<Received> => {
    const now = clock();
    const opened = openSignedEvent(stripe.webhooks, { body, signature, secrets, now });
    if (opened === null) return { kind: 'forged' };
    const event = readEvent(opened);
    if (event === null || !isEventType(event.type)) return { kind: 'ignored' };
    return { kind: (await events.insert(event, now)) ? 'stored' : 'known', id: event.id };
  };
  return {
    /** Stores the event of a webhook durably; once done, the webhook may be acknowledged. */
    async receive(signed: Pick<SignedBody, 'body' | 'signature'>): Promise<Received> {
      const received = await receive(signed);
      report.webhook(received.kind);
      return received;
    },

    apply,

    /** Ids of events that wait longer than `EVENT_REQUEUE_AFTER_MS`, so their job may be lost; none older than `EVENT_RETRY_PERIOD_MS`. */
    async waiting(): Promise<readonly string[]> {
      const now = clock();
      const { count, oldest } = await events.waiting({
        from: now - EVENT_RETRY_PERIOD_MS,
        to: now - EVENT_REQUEUE_AFTER_MS,
      });
      report.unapplied(count);
      return oldest;
    },

    /** Deletes events applied, or received and never applied, more than `EVENT_RETENTION_MS` ago. */
    deleteOld: () => events.deleteOld(clock() - EVENT_RETENTION_MS),
  };
}

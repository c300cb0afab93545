import type { CardParts } from '../card-parts.ts';
import { EVENT_REQUEUE_AFTER_MS, EVENT_RETENTION_MS, EVENT_RETRY_PERIOD_MS } from '../limits.ts';
import type { ApplyEvent } from './apply-event.ts';
import { isEventType } from './event-types.ts';
import { openSignedEvent, readEvent, type SignedBody } from './read-event.ts';

/** Stripe's events, from arrival to deletion. */
export function createEvents(parts: CardParts, apply: ApplyEvent) {
  const { stripe, webhookSecrets: secrets, events, report, clock } = parts;
  const receive = async ({ body, signature }: Pick<SignedBody, 'body' | 'signature'>) => {
    const now = clock();
    const opened = openSignedEvent(stripe.webhooks, { body, signature, secrets, now });
    // The signature is invalid or too old.
    if (opened === null) return { kind: 'forged' } as const;
    const event = readEvent(opened);
    // Of an unused type: acknowledged, not stored.
    if (event === null || !isEventType(event.type)) return { kind: 'ignored' } as const;
    const kind: 'stored' | 'known' = (await events.insert(event, now)) ? 'stored' : 'known';
    return { kind, id: event.id };
  };
  return {
    /** Stores the event of a webhook durably; once done, the webhook may be acknowledged. `stored`: apply the event with this id. */
    async receive(signed: Pick<SignedBody, 'body' | 'signature'>) {
      const received = await receive(signed);
      report?.webhook(received.kind);
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
      report?.unapplied(count);
      return oldest;
    },

    /** Deletes events applied, or received and never applied, more than `EVENT_RETENTION_MS` ago. */
    deleteOld: () => events.deleteOld(clock() - EVENT_RETENTION_MS),
  };
}

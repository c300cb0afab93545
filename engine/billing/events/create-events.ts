import type { Stripe } from 'stripe';
import { EVENT_PATIENCE_MS, EVENT_RETENTION_MS, EVENT_TRIES_MS } from '../limits.ts';
import type { EventStore } from '../mongo/event-store.ts';
import type { BillingReport } from '../report.ts';
import type { ApplyEvent } from './apply-event.ts';
import { isEventType } from './event-types.ts';
import { openSignedEvent, readEvent, type SignedBody } from './read-event.ts';

/** What became of a webhook. `stored`: apply the event of this id. */
export type Received =
  | { readonly kind: 'stored' | 'known'; readonly id: string }
  /** Of a kind that says nothing to us: acknowledged, and not kept. */
  | { readonly kind: 'ignored' }
  /** Not signed by Stripe, or too long ago. */
  | { readonly kind: 'forged' };

/** The events of Stripe's, from their arrival to their end. */
export interface BillingEvents {
  /** Stores what a webhook says, durably: when this is done, it may be acknowledged. */
  receive(signed: Pick<SignedBody, 'body' | 'signature'>): Promise<Received>;
  readonly apply: ApplyEvent;
  /** Those that came a while ago and were not applied: their job may be lost. Those of long ago are given up. */
  waiting(): Promise<readonly string[]>;
  /** Forgets those that were applied, or given up, long ago. */
  sweep(): Promise<void>;
}

export interface EventsOptions {
  readonly webhooks: Stripe['webhooks'];
  readonly secrets: readonly string[];
  readonly events: EventStore;
  readonly apply: ApplyEvent;
  readonly report: Pick<BillingReport, 'webhook' | 'unapplied'>;
  readonly clock: () => number;
}

export function createEvents({ webhooks, secrets, events, apply, report, clock }: EventsOptions): BillingEvents {
  const receive = async ({ body, signature }: Pick<SignedBody, 'body' | 'signature'>): Promise<Received> => {
    const now = clock();
    const opened = openSignedEvent(webhooks, { body, signature, secrets, now });
    if (opened === null) return { kind: 'forged' };
    const event = readEvent(opened);
    if (event === null || !isEventType(event.type)) return { kind: 'ignored' };
    return { kind: (await events.insert(event, now)) ? 'stored' : 'known', id: event.id };
  };
  return {
    async receive(signed) {
      const received = await receive(signed);
      report.webhook(received.kind);
      return received;
    },
    apply,
    async waiting() {
      const now = clock();
      const { count, oldest } = await events.waiting({ from: now - EVENT_TRIES_MS, to: now - EVENT_PATIENCE_MS });
      report.unapplied(count);
      return oldest;
    },
    sweep: () => events.sweep(clock() - EVENT_RETENTION_MS),
  };
}

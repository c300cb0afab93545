import { randomBytes } from 'node:crypto';
import type {
  ChargeObject,
  CustomerObject,
  DisputeObject,
  EventObject,
  InvoiceObject,
  PriceObject,
  RefundObject,
  SessionObject,
  SubscriptionObject,
} from './objects.ts';

/** All objects of the stand-in, and its events in order of creation. */
export class Ledger {
  readonly customers = new Map<string, CustomerObject | null>();
  readonly products = new Map<string, Readonly<Record<string, unknown>>>();
  readonly prices = new Map<string, PriceObject>();
  readonly sessions = new Map<string, SessionObject>();
  readonly priceOfSession = new Map<string, string>();
  readonly metadataOfSession = new Map<string, Readonly<Record<string, string>>>();
  readonly subscriptions = new Map<string, SubscriptionObject>();
  readonly invoices = new Map<string, InvoiceObject>();
  readonly charges = new Map<string, ChargeObject>();
  readonly refunds = new Map<string, RefundObject>();
  readonly disputes = new Map<string, DisputeObject>();
  readonly events: EventObject[] = [];
  readonly #clock: () => number;
  /** Called with every new event. */
  onEvent: (event: EventObject) => void = () => undefined;

  /** @param clock milliseconds since the epoch */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Seconds since the epoch. */
  now(): number {
    return Math.floor(this.#clock() / 1_000);
  }

  /** An id in Stripe's format. */
  name(prefix: string): string {
    return `${prefix}_${randomBytes(9).toString('hex')}`;
  }

  emit(type: string, object: object): void {
    const event: EventObject = {
      id: this.name('evt'),
      object: 'event',
      api_version: '2026-10-28.endive',
      created: this.now(),
      data: { object: structuredClone({ ...object }) },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
    };
    this.events.push(event);
    this.onEvent(event);
  }
}

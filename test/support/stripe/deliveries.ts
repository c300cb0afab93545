import { Stripe } from 'stripe';
import { MS_PER_SECOND } from '../../../config/units.ts';
import type { Ledger } from './ledger.ts';
import type { EventObject } from './objects.ts';
import { STAND_IN_KEY, STAND_IN_SECRET } from './stand-in-secrets.ts';

export interface Delivery {
  readonly secret?: string;
  /** How long ago it was signed, in milliseconds. */
  readonly ageMs?: number;
  /** Changes the text after it was signed. */
  readonly tamper?: (text: string) => string;
}

/** The webhooks: nothing is sent by itself until `automatic` is set, so that a test decides on order, number and delay. */
export interface Deliveries {
  /** Where they go. */
  endpoint: string | null;
  /** Whether every event is sent as it is made. */
  automatic: boolean;
  /** Events that were made and not taken yet. */
  take(): readonly EventObject[];
  /** Sends one. Returns the status. */
  send(event: EventObject, delivery?: Delivery): Promise<number>;
  /** Waits for deliveries in progress. */
  settled(): Promise<void>;
}

export function createDeliveries(ledger: Ledger, clock: () => number): Deliveries {
  const stripe = new Stripe(STAND_IN_KEY);
  const running = new Set<Promise<unknown>>();
  let waiting: EventObject[] = [];
  const deliveries: Deliveries = {
    endpoint: null,
    automatic: false,
    take() {
      const taken = waiting;
      waiting = [];
      return taken;
    },
    async send(event, { secret = STAND_IN_SECRET, ageMs = 0, tamper = (text: string) => text } = {}) {
      if (deliveries.endpoint === null) throw new Error('there is no webhook endpoint');
      const payload = JSON.stringify(event, null, 2);
      const timestamp = Math.floor((clock() - ageMs) / MS_PER_SECOND);
      const signature = stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
      const response = await fetch(deliveries.endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature },
        body: tamper(payload),
      });
      await response.arrayBuffer();
      return response.status;
    },
    async settled() {
      await Promise.allSettled(running);
    },
  };
  ledger.onEvent = (event) => {
    if (!deliveries.automatic) {
      waiting.push(event);
      return;
    }
    const sending = deliveries.send(event).finally(() => running.delete(sending));
    running.add(sending);
  };
  return deliveries;
}

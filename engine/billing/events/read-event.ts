import type { Stripe } from 'stripe';
import { z } from 'zod';
import { MS_PER_SECOND } from '../../../config/units.ts';
import { SIGNATURE_TOLERANCE_S } from '../limits.ts';
import type { BillingEvent } from '../mongo/event-store.ts';

const customer = z.union([z.string(), z.object({ id: z.string() }), z.null()]).optional();

/** The stored part of an event: its id, its type, its object and customer. */
const EVENT = z.object({
  id: z.string().min(1).max(255),
  type: z.string().min(1).max(255),
  created: z.int(),
  data: z.object({ object: z.object({ id: z.string().min(1).max(255), customer }) }),
});

/** Reads the stored part of an event; null when its object has no id. */
export function readEvent(event: unknown): BillingEvent | null {
  const parsed = EVENT.safeParse(event);
  if (!parsed.success) return null;
  const { id, type, created, data } = parsed.data;
  const { object } = data;
  const owner = object.customer ?? null;
  return {
    id,
    type,
    object: object.id,
    customer: typeof owner === 'string' ? owner : (owner?.id ?? null),
    createdAt: created * MS_PER_SECOND,
  };
}

/**
 * Whether a signature has exactly one time, in plain digits, that is not further ahead than the tolerated clock skew. Stripe's
 * library refuses only old times, reads them with `parseInt` and uses the last of several.
 */
function hasPlausibleTime(signature: string, now: number): boolean {
  const [time = '', ...others] = signature.split(',').filter((item) => /^\s*t\s*=/.test(item));
  const [, seconds] = /^t=(\d+)$/.exec(time) ?? [];
  const latest = now / MS_PER_SECOND + SIGNATURE_TOLERANCE_S;
  return seconds !== undefined && others.length === 0 && Number(seconds) <= latest;
}

export interface SignedBody {
  /** The received bytes: the signature covers them, not the parsed JSON. */
  readonly body: Buffer;
  /** The header Stripe-Signature. */
  readonly signature: string | undefined;
  readonly secrets: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The parsed body of a webhook with a recent signature by one of the secrets; null otherwise. */
export function openSignedEvent(webhooks: Stripe['webhooks'], signed: SignedBody): unknown {
  const { body, signature, secrets, now } = signed;
  if (signature === undefined || !hasPlausibleTime(signature, now)) return null;
  for (const secret of secrets) {
    try {
      return webhooks.constructEvent(body, signature, secret, SIGNATURE_TOLERANCE_S, undefined, now);
    } catch {
      // Try the next secret. Also thrown for an old signature and for a body that is not JSON.
    }
  }
  return null;
}

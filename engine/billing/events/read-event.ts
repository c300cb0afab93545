import type { Stripe } from 'stripe';
import { z } from 'zod';
import { SIGNATURE_TOLERANCE_S } from '../limits.ts';
import type { BillingEvent } from '../mongo/event-store.ts';

const MS_PER_SECOND = 1_000;

const customer = z.union([z.string(), z.object({ id: z.string() }), z.null()]).optional();

/** What is kept of an event: its name, its kind, and what it is about. */
const EVENT = z.object({
  id: z.string().min(1).max(255),
  type: z.string().min(1).max(255),
  created: z.int(),
  data: z.object({ object: z.object({ id: z.string().min(1).max(255), customer }) }),
});

/** The part of an event that is kept; null when it is none of an object with a name. */
export function readEvent(event: unknown): BillingEvent | null {
  const parsed = EVENT.safeParse(event);
  if (!parsed.success) return null;
  const { id, type, created, data } = parsed.data;
  const { object } = data;
  const whose = object.customer ?? null;
  return {
    id,
    type,
    object: object.id,
    customer: typeof whose === 'string' ? whose : (whose?.id ?? null),
    createdAt: created * MS_PER_SECOND,
  };
}

/** Whether a signature's time is further ahead than clocks may differ. Stripe's library refuses only old ones. */
function isAhead(signature: string, now: number): boolean {
  const latest = now / MS_PER_SECOND + SIGNATURE_TOLERANCE_S;
  return [...signature.matchAll(/(?:^|,)\s*t=(\d+)/g)].some(([, seconds]) => Number(seconds) > latest);
}

export interface SignedBody {
  /** The bytes as they came: another spelling of the same JSON has another signature. */
  readonly body: Buffer;
  /** The header Stripe-Signature. */
  readonly signature: string | undefined;
  readonly secrets: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What a webhook says, when one of the secrets has signed it of late; null otherwise. */
export function openSignedEvent(webhooks: Stripe['webhooks'], signed: SignedBody): unknown {
  const { body, signature, secrets, now } = signed;
  if (signature === undefined || isAhead(signature, now)) return null;
  for (const secret of secrets) {
    try {
      return webhooks.constructEvent(body, signature, secret, SIGNATURE_TOLERANCE_S, undefined, now);
    } catch {
      // Not signed with this one, perhaps with the other; or too old, or no JSON.
    }
  }
  return null;
}

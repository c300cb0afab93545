import { objectOf } from '../json.ts';
import type { Client } from './client.ts';
import type { HttpResponse } from './http.ts';
import { foreignServerError, printableText } from './problem.ts';

/** Pauses between polls for a verdict, in milliseconds. About a minute in total. */
const POLL_PAUSES_MS = [250, 500, 1_000, 2_000, ...Array.from({ length: 18 }, () => 3_000)];

export type Outcome =
  | {
      readonly kind: 'accepted';
      readonly rank: number | null;
      /** Whether the user hid the row. */
      readonly hidden: boolean;
      /** False when the service already had totals at least as high. */
      readonly changed: boolean;
    }
  /** In the snapshot log, but without a verdict while the tool waited. */
  | { readonly kind: 'pending' }
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly detail: string | null;
      /** The service's clock, from the `Date` header. */
      readonly serverTime: string | null;
    };

/** Submits a signed body without waiting for a verdict: for past days, which are many and whose rank is not shown. */
export async function submitWithoutWaiting(client: Client, body: string): Promise<Outcome> {
  return readOutcome(await client.post('/snapshots', body), client.baseUrl);
}

/** Submits a signed body and polls for its verdict. Throws a `CliError` when the service refuses the request. */
export async function submitSnapshot(client: Client, body: string, jti: string): Promise<Outcome> {
  let outcome = readOutcome(await client.post('/snapshots', body), client.baseUrl);
  for (const pause of POLL_PAUSES_MS) {
    if (outcome.kind !== 'pending') break;
    await client.context.sleep(pause);
    outcome = readOutcome(await client.get(`/snapshots/${jti}`), client.baseUrl);
  }
  return outcome;
}

function readOutcome({ body, headers }: HttpResponse, baseUrl: string): Outcome {
  const { accepted, verdict, rank, hidden, changed, reason, detail } = objectOf(body);
  if (typeof accepted !== 'boolean') throw foreignServerError(baseUrl);
  if (verdict === 'pending') return { kind: 'pending' };
  const place = typeof rank === 'number' ? rank : null;
  if (accepted) return { kind: 'accepted', rank: place, hidden: hidden === true, changed: changed !== false };
  return {
    kind: 'refused',
    reason: printableText(reason) ?? 'unknown',
    detail: printableText(detail),
    serverTime: headers.get('date'),
  };
}

import { CliError } from '../cli-error.ts';
import { isObject } from '../json.ts';
import type { Client } from './client.ts';
import type { HttpAnswer } from './http.ts';
import { printable } from './problem.ts';

/** Pauses between questions for a verdict, in milliseconds: the last one repeats. About a minute altogether. */
const POLL_PAUSES_MS = [250, 500, 1_000, 2_000, ...Array.from({ length: 18 }, () => 3_000)];

/** What became of a snapshot. */
export type Outcome =
  | {
      readonly kind: 'accepted';
      readonly rank: number | null;
      /** False when the totals were not above what the service knew. */
      readonly changed: boolean;
    }
  /** Safely logged, but not judged while the tool waited. */
  | { readonly kind: 'pending' }
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly detail: string | null;
      /** The service's own clock, from the answer's Date header. */
      readonly serverTime: string | null;
    };

/**
 * Submits a signed body and does not wait for its verdict, if that is still to come. For totals of the past, of which there
 * are many and whose rank nobody asks for.
 */
export async function submitWithoutWaiting(client: Client, body: string): Promise<Outcome> {
  return readOutcome(await client.post('/snapshots', body), client.baseUrl);
}

/** Submits a signed body and asks for the verdict until it comes. Throws a `CliError` when the service takes nothing. */
export async function submitSnapshot(client: Client, body: string, jti: string): Promise<Outcome> {
  let outcome = readOutcome(await client.post('/snapshots', body), client.baseUrl);
  for (const pause of POLL_PAUSES_MS) {
    if (outcome.kind !== 'pending') break;
    await client.context.sleep(pause);
    outcome = readOutcome(await client.get(`/snapshots/${jti}`), client.baseUrl);
  }
  return outcome;
}

function readOutcome(answer: HttpAnswer, baseUrl: string): Outcome {
  const { body } = answer;
  if (!isObject(body) || typeof body['accepted'] !== 'boolean') {
    throw new CliError(
      'network',
      'answer_unexpected',
      `${baseUrl} gave an answer that is no submission result`,
      'Is --base-url right? It ends in /api/v1.',
    );
  }
  if (body['verdict'] === 'pending') return { kind: 'pending' };
  if (body['accepted']) {
    const rank = body['rank'];
    return { kind: 'accepted', rank: typeof rank === 'number' ? rank : null, changed: body['changed'] !== false };
  }
  const text = (name: string): string | null => {
    const value = body[name];
    return typeof value === 'string' ? printable(value) : null;
  };
  return {
    kind: 'refused',
    reason: text('reason') ?? 'unknown',
    detail: text('detail'),
    serverTime: answer.headers.get('date'),
  };
}

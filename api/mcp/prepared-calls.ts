import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { MINUTE_MS } from '../../config/units.ts';
import type { Clock } from '../../engine/ranking/index.ts';

/** Answers kept, and how long at most: an answer states when it was generated, to the minute. */
const MAX_ANSWERS = 200;
const MAX_AGE_MS = MINUTE_MS / 2;

/** Longer requests are not kept: they are padded. */
const MAX_KEY_CHARS = 2_048;

/** Takes the place of a request's id in a kept answer. */
const ID = 'the-id-of-the-request';

/** A call whose answer depends on the board alone, and on nothing else that is not in the request. */
const PreparedCall = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]),
  method: z.literal('tools/call'),
  params: z.looseObject({
    name: z.literal('get_leaderboard'),
    // A league's depends on who is in it, and on who asks.
    arguments: z.looseObject({ league: z.undefined().optional() }).optional(),
  }),
});

export interface PreparedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An answer: what is before and after its id, or all of it without one. */
interface Kept extends Omit<PreparedAnswer, 'body'> {
  readonly parts: readonly string[];
  readonly generation: string;
  readonly at: number;
}

interface PreparedCallsOptions {
  /** The generation of the board that is shown: a store that lost its last writes assigns a version twice. */
  readonly generation: () => string;
  readonly clock: Clock;
}

/**
 * Answers calls of the leaderboard from what the SDK answered to the same request before, on the same board: the SDK makes a server for
 * each request, which costs many times an API read. An error is not kept.
 */
export function createPreparedCalls({ generation, clock }: PreparedCallsOptions) {
  const answers = new LRUCache<string, Kept>({ max: MAX_ANSWERS });
  /** `read` answers a message as the SDK does; `headers` are those that its answer depends on. */
  return async (
    message: unknown,
    headers: Readonly<Record<string, string>>,
    read: (message: unknown) => Promise<Response>,
  ): Promise<PreparedAnswer | null> => {
    const call = PreparedCall.safeParse(message);
    if (!call.success) return null;
    const { id, ...rest } = call.data;
    const key = JSON.stringify([rest, headers]);
    if (key.length > MAX_KEY_CHARS) return null;
    const kept = answers.get(key);
    // Not either when the clock was set back since.
    const isFresh = kept?.generation === generation() && Math.abs(clock() - kept.at) < MAX_AGE_MS;
    const known = isFresh ? kept : await prepare({ ...rest, id: ID });
    return known && { status: known.status, headers: known.headers, body: known.parts.join(JSON.stringify(id)) };

    async function prepare(asked: unknown): Promise<Kept | null> {
      const made = { generation: generation(), at: clock() };
      const response = await read(asked);
      const text = await response.text();
      const parts = text.split(JSON.stringify(ID));
      if (parts.length > 2) return null;
      const { status, headers: named } = response;
      const answer: Kept = { ...made, status, headers: Object.fromEntries(named), parts };
      if (status === 200 && parts.length === 2 && !text.includes('"isError":true')) answers.set(key, answer);
      return answer;
    }
  };
}

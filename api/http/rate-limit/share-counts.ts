import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import * as z from 'zod';
import { singleFlight } from '../../../config/single-flight.ts';
import { MINUTE_MS } from '../../../config/units.ts';
import type { Clock } from '../../../engine/ranking/index.ts';
import type { FixedWindow, Increment } from './fixed-window.ts';

/** Time between two exchanges of counts with the other processes, in milliseconds. */
export const SHARE_INTERVAL_MS = 1_000;

/** Clients whose counts are exchanged at once; the rest follow in the next rounds of the same exchange. */
const MAX_INCREMENTS_PER_COMMAND = 1_000;

/** Exchanges counts with the other processes until it is stopped. */
export type CountSharing = ReturnType<typeof shareCounts>;

export interface CountSharingOptions {
  readonly windows: readonly FixedWindow[];
  readonly redis: Pick<Redis, 'pipeline' | 'eval'>;
  readonly clock: Clock;
  /** What the keys begin with: processes share counts with those that have the same. */
  readonly prefix: string;
  /** Called with what went wrong in an exchange, at most once an exchange. */
  readonly onError: (error: unknown) => void;
}

/**
 * Pushes the counts that are due to Redis about once a second, outside of requests, and reads the sums over all processes.
 * `FixedWindow` says which are due, and by how much a client that uses several processes can exceed its quota.
 */
export function shareCounts(options: CountSharingOptions) {
  const join = singleFlight<void>();
  const countProcesses = createProcessCount(options);
  const exchange = (): Promise<void> => join(() => exchangeAll(options, countProcesses));
  const timer = setInterval(() => void exchange(), SHARE_INTERVAL_MS);
  timer.unref();
  return {
    /** One exchange now. Never throws: without Redis every process counts alone. */
    exchange,
    /** Ends the exchanges with a last one. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await join.settled();
      await exchange();
    },
  };
}

async function exchangeAll(options: CountSharingOptions, countProcesses: () => Promise<number>): Promise<void> {
  try {
    const processes = await countProcesses();
    for (const window of options.windows) {
      window.processes = processes;
      await exchangeWindow(window, options);
    }
  } catch (error) {
    options.onError(error);
  }
}

/** Creates the function that counts the processes that exchanged counts in this minute or, if more, in the one before. */
function createProcessCount({ redis, clock, prefix }: CountSharingOptions): () => Promise<number> {
  const id = randomUUID();
  let [minute, before, now] = [0, 1, 1];
  return async () => {
    const current = Math.floor(clock() / MINUTE_MS);
    if (current !== minute) [minute, before, now] = [current, now, 1];
    const key = `${prefix}:rate:processes:${minute}`;
    const results = await redis
      .pipeline()
      .sadd(key, id)
      .pexpire(key, MINUTE_MS * 2)
      .scard(key)
      .exec();
    const [error, count] = results?.at(-1) ?? [new Error('the pipeline was cut short'), null];
    if (error !== null) throw error;
    now = Number(count);
    return Math.max(before, now);
  };
}

async function exchangeWindow(counts: FixedWindow, { redis, clock, prefix }: CountSharingOptions): Promise<void> {
  const increments = counts.takeIncrements(clock());
  const { window } = counts;
  const hash = `${prefix}:rate:${counts.policy.name}:${window}`;
  const lifetimeMs = counts.policy.windowMs * 2;
  for (let from = 0; from < increments.length; from += MAX_INCREMENTS_PER_COMMAND) {
    const part = increments.slice(from, from + MAX_INCREMENTS_PER_COMMAND);
    try {
      const totals = await addAll(redis, hash, lifetimeMs, part);
      part.forEach(({ key }, index) => counts.recordTotal(window, key, totals[index] ?? 0));
    } catch (error) {
      counts.returnIncrements(window, increments.slice(from));
      throw error;
    }
  }
}

/**
 * Adds increments to fields of a hash and returns their sums. `ARGV`: the hash's lifetime in milliseconds, then fields and
 * increments. A script takes this process a quarter of the time of a pipeline with a command for each field, and
 * Redis about as long.
 */
const ADD_ALL = `
local sums = {}
for at = 2, #ARGV, 2 do sums[#sums + 1] = redis.call('HINCRBY', KEYS[1], ARGV[at], ARGV[at + 1]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return sums
`;

const sumsSchema = z.array(z.number());

/** Adds increments in one command; returns the sums over all processes, in the same order. */
async function addAll(
  redis: Pick<Redis, 'eval'>,
  hash: string,
  lifetimeMs: number,
  increments: readonly Increment[],
): Promise<number[]> {
  const pairs = increments.flatMap(({ key, by }) => [key, by]);
  return sumsSchema.parse(await redis.eval(ADD_ALL, 1, hash, lifetimeMs, ...pairs));
}

import type { Redis } from 'ioredis';
import { singleFlight } from '../../../config/single-flight.ts';
import type { Clock } from '../../../engine/ranking/index.ts';
import type { FixedWindow, Increment } from './fixed-window.ts';

/** Time between two exchanges of counts with the other processes, in milliseconds. */
export const SHARE_INTERVAL_MS = 1_000;

/** Clients whose counts are exchanged at once; the rest follow in the next rounds of the same exchange. */
const MAX_INCREMENTS_PER_PIPELINE = 1_000;

/** Exchanges counts with the other processes until it is stopped. */
export type CountSharing = ReturnType<typeof shareCounts>;

export interface CountSharingOptions {
  readonly windows: readonly FixedWindow[];
  readonly redis: Pick<Redis, 'pipeline'>;
  readonly clock: Clock;
  /** What the keys begin with: processes share counts with those that have the same. */
  readonly prefix: string;
  /** Called with what went wrong in an exchange, at most once an exchange. */
  readonly onError: (error: unknown) => void;
}

/**
 * Pushes this process's counts to Redis about once a second, outside of requests, and reads the sums over all processes. A
 * client that uses several processes can exceed its quota by the requests of one such second.
 */
export function shareCounts(options: CountSharingOptions) {
  const join = singleFlight<void>();
  const exchange = (): Promise<void> => join(() => exchangeAll(options));
  const timer = setInterval(() => void exchange(), SHARE_INTERVAL_MS);
  timer.unref();
  return {
    /** One exchange now. Never throws: without Redis every process counts alone. */
    exchange,
    /** Ends the exchanges and waits for the one under way. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await join.settled();
    },
  };
}

async function exchangeAll(options: CountSharingOptions): Promise<void> {
  try {
    for (const window of options.windows) await exchangeWindow(window, options);
  } catch (error) {
    options.onError(error);
  }
}

async function exchangeWindow(counts: FixedWindow, { redis, clock, prefix }: CountSharingOptions): Promise<void> {
  const increments = counts.takeIncrements(clock());
  const { window } = counts;
  const hash = `${prefix}:rate:${counts.policy.name}:${window}`;
  const lifetimeMs = counts.policy.windowMs * 2;
  for (let from = 0; from < increments.length; from += MAX_INCREMENTS_PER_PIPELINE) {
    const part = increments.slice(from, from + MAX_INCREMENTS_PER_PIPELINE);
    try {
      const totals = await addAll(redis, hash, lifetimeMs, part);
      part.forEach(({ key }, index) => counts.recordTotal(window, key, totals[index] ?? 0));
    } catch (error) {
      counts.returnIncrements(window, increments.slice(from));
      throw error;
    }
  }
}

/** Adds increments in one round trip; returns the sums over all processes, in the same order. */
async function addAll(
  redis: Pick<Redis, 'pipeline'>,
  hash: string,
  lifetimeMs: number,
  increments: readonly Increment[],
): Promise<number[]> {
  const pipeline = redis.pipeline();
  for (const { key, by } of increments) pipeline.hincrby(hash, key, by);
  pipeline.pexpire(hash, lifetimeMs);
  const results = (await pipeline.exec()) ?? [];
  return increments.map((_, index) => {
    const [error, total] = results[index] ?? [new Error('the pipeline was cut short'), null];
    if (error !== null) throw error;
    return Number(total);
  });
}

import type { Redis } from 'ioredis';
import { singleFlight } from '../../../config/single-flight.ts';
import type { Clock } from '../../../engine/ranking/index.ts';
import type { FixedWindow } from './fixed-window.ts';

/** Time between two exchanges of counts with the other processes, in milliseconds. */
export const SHARE_INTERVAL_MS = 1_000;

/** Clients whose counts are exchanged at once; the rest follow in the next rounds of the same exchange. */
const MAX_INCREMENTS_PER_PIPELINE = 1_000;

/** Exchanges counts with the other processes until it is stopped. */
export type CountSharing = ReturnType<typeof shareCounts>;

export interface CountSharingOptions {
  readonly windows: ReadonlyMap<string, FixedWindow>;
  readonly redis: Pick<Redis, 'pipeline'>;
  readonly clock: Clock;
  /** What the keys begin with: processes share counts with those that have the same. */
  readonly prefix: string;
  /** Called with what went wrong in an exchange, at most once an exchange. */
  readonly onError: (error: unknown) => void;
}

/** Adds the counts that are due in Redis about once a second, outside of requests, and reads the sums over all processes. */
export function shareCounts({ windows, redis, clock, prefix, onError }: CountSharingOptions) {
  const join = singleFlight<void>();
  /** One exchange now. Never throws: without Redis every process counts alone. */
  const exchange = (): Promise<void> =>
    join(async () => {
      for (const [policy, counts] of windows) await exchangeWindow(policy, counts);
    }).catch(onError);

  async function exchangeWindow(policy: string, counts: FixedWindow): Promise<void> {
    counts.advance(clock());
    const [increments, { window }] = [counts.takeIncrements(), counts];
    const hash = `${prefix}:rate:${policy}:${window}`;
    for (let from = 0; from < increments.length; from += MAX_INCREMENTS_PER_PIPELINE) {
      const part = increments.slice(from, from + MAX_INCREMENTS_PER_PIPELINE);
      try {
        const pipeline = redis.pipeline();
        for (const { key, by } of part) pipeline.hincrby(hash, key, by);
        const results = (await pipeline.pexpire(hash, counts.policy.windowMs * 2).exec()) ?? [];
        const failed = results.find(([error]) => error !== null);
        if (failed !== undefined || results.length === 0) throw failed?.[0] ?? new Error('the pipeline was cut short');
        part.forEach(({ key }, index) => counts.recordTotal(window, key, Number(results[index]?.[1])));
      } catch (error) {
        counts.returnIncrements(window, increments.slice(from));
        throw error;
      }
    }
  }

  const timer = setInterval(() => void exchange(), SHARE_INTERVAL_MS);
  timer.unref();
  return {
    exchange,
    /** Ends the exchanges with a last one. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await join.settled();
      await exchange();
    },
  };
}

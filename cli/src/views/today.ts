import type { Counts } from '../../../engine/contract/signing/index.ts';
import { grouped, yieldText } from '../output/screen.ts';
import type { TimeBuckets } from '../store/time-buckets.ts';
import { costOf, type PriceList } from './prices.ts';
import { dayText, localDay } from './time-zone.ts';
import { compactCount, costText } from './usage-report.ts';
import { BLOCK_SECONDS, type RowQuery, sumRows, totalOf, usageRows } from './usage-rows.ts';

/** The usage of the present day and of the blocks that have not ended. */
export type Today = ReturnType<typeof summarizeToday>;

/** `now` in seconds since the epoch. */
export function summarizeToday(
  buckets: TimeBuckets,
  { zone, platforms }: Pick<RowQuery, 'zone' | 'platforms'>,
  prices: PriceList,
  now: number,
) {
  const today = dayText(localDay(now, zone));
  const query = { by: null, since: today, until: today, platforms, zone };
  const sum = sumRows(usageRows(buckets, { ...query, view: 'daily' }));
  const lately = dayText(localDay(now - BLOCK_SECONDS, zone));
  const blocks = usageRows(buckets, { ...query, view: 'blocks', since: lately })
    .filter(({ period }) => now < Number(period) + BLOCK_SECONDS)
    .map(({ platform, period, counts, models }) => {
      return {
        platform,
        minutes_left: minutesLeft(Number(period), now),
        total: totalOf(counts),
        cost: costOf(models, prices),
      };
    });
  return {
    day: today,
    ...sum,
    total: totalOf(sum.counts),
    cost: costOf(sum.models, prices),
    yield_: yieldOf(sum.counts),
    blocks,
  };
}

/** One line: the tokens, cost and Yield of the day, and the blocks. */
export function todayLine({ total, cost, yield_, blocks }: Today): string {
  const yieldPart = yield_ === null ? [] : [`Yield ${yieldText(yield_)}`];
  const day = [`today ${compactCount(total)}`, costText(cost, true), ...yieldPart].join(' ');
  const others = blocks.map(({ platform, total: used, cost: usd, minutes_left: left }) => {
    return `${platform} block ${compactCount(used)} ${costText(usd, true)} ${durationText(left)} left`;
  });
  return [day, ...others].join(' · ');
}

/** Null without input. */
export function yieldOf({ input, output, cache_read }: Counts): number | null {
  const yield_ = (cache_read * output) / (input * input);
  return Number.isFinite(yield_) ? yield_ : null;
}

function minutesLeft(start: number, now: number): number {
  return Math.ceil((start + BLOCK_SECONDS - now) / 60);
}

/** `2h13m`, `9m`. */
function durationText(minutes: number): string {
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes}m` : `${grouped(hours)}h${`${minutes % 60}`.padStart(2, '0')}m`;
}

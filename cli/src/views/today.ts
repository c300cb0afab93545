import { compactCount, yieldText } from '../output/screen.ts';
import type { Bucket } from '../store/buckets.ts';
import { costOf, type PriceList } from './prices.ts';
import { dayText, localDay } from './time-zone.ts';
import { costText, durationText } from './usage-report.ts';
import { BLOCK_SECONDS, type RowQuery, sumRows, totalOf, usageRows, yieldOf } from './usage-rows.ts';

/** The usage of the present day and of the blocks that have not ended, as JSON can hold it. */
export type Today = ReturnType<typeof summarizeToday>;

/** `now` in seconds. */
export function summarizeToday(
  buckets: readonly Bucket[],
  { zone, platforms }: Pick<RowQuery, 'zone' | 'platforms'>,
  prices: PriceList,
  now: number,
) {
  const today = dayText(localDay(now, zone));
  const query = { by: null, since: today, until: today, platforms, zone };
  const { counts, models, messages } = sumRows(usageRows(buckets, { ...query, view: 'daily' }));
  const lately = dayText(localDay(now - BLOCK_SECONDS, zone));
  const blocks = usageRows(buckets, { ...query, view: 'blocks', since: lately }).map((row) => {
    const { platform, period } = row;
    const used = { total: totalOf(row.counts), cost: costOf(row.models, prices) };
    return { platform, ends_at: Number(period) + BLOCK_SECONDS, ...used };
  });
  return {
    day: today,
    counts,
    models: [...models.keys()],
    messages,
    total: totalOf(counts),
    cost: costOf(models, prices),
    yield_: yieldOf(counts),
    blocks: blocks.filter(({ ends_at }) => now < ends_at),
  };
}

/** The blocks that have not ended at a moment, with the minutes that are left. */
export function blocksAt({ blocks }: Pick<Today, 'blocks'>, now: number) {
  return blocks
    .filter(({ ends_at }) => now < ends_at)
    .map(({ ends_at, ...block }) => ({ ...block, minutes_left: Math.ceil((ends_at - now) / 60) }));
}

/** One line: the tokens, cost and Yield of the day, and the blocks. */
export function todayLine(today: Today, now: number): string {
  const { total, cost, yield_ } = today;
  const yieldPart = yield_ === null ? [] : [`Yield ${yieldText(yield_)}`];
  const day = [`today ${compactCount(total)}`, costText(cost, true), ...yieldPart].join(' ');
  const others = blocksAt(today, now).map((block) => {
    const { platform, minutes_left: left } = block;
    return `${platform} block ${compactCount(block.total)} ${costText(block.cost, true)} ${durationText(left)} left`;
  });
  return [day, ...others].join(' · ');
}

import { COUNT_FIELDS, type Counts } from '../../../engine/contract/signing/index.ts';
import { dayEnds } from '../ledger/day-ends.ts';
import type { Submission } from '../ledger/ledger.ts';
import { yieldText } from '../output/screen.ts';
import type { Bucket } from '../store/buckets.ts';
import { addCounts, zeroCounts } from '../store/usage.ts';
import { dayText } from './time-zone.ts';
import { yieldOf } from './usage-rows.ts';

const DAY_MS = 86_400_000;

/** The all-time Yield at the end of a day. */
export interface DayYield {
  /** UTC, as YYYY-MM-DD. */
  readonly day: string;
  readonly yield_: number;
}

/**
 * The Yield of these submissions together at the end of each day of the last 90 that they cover, from the first day with a Yield on. Days
 * with more than what was submitted are left out, and so are platforms whose past was not submitted. `now` in milliseconds.
 */
export function submittedHistory(
  buckets: readonly Bucket[],
  submissions: readonly Submission[],
  now: number,
): readonly DayYield[] {
  const ends = submissions.map(({ platform, counts, backdated }) => {
    const wasSubmitted = ({ totals }: { readonly totals: Counts }): boolean =>
      counts !== null && COUNT_FIELDS.every((field) => totals[field] <= counts[field]);
    return backdated === null ? [] : dayEnds(buckets, platform, now).filter(wasSubmitted);
  });
  const days = ends.flat().map(({ day }) => Date.parse(day) / DAY_MS);
  const history: DayYield[] = [];
  for (let at = Math.min(...days); at <= Math.max(...days); at += 1) {
    const day = dayText(at);
    const sum = zeroCounts();
    // Days without growth have the totals of the one before.
    for (const each of ends) addCounts(sum, each.findLast((end) => end.day <= day)?.totals ?? zeroCounts());
    const yield_ = yieldOf(sum);
    if (yield_ !== null && yield_ > 0) history.push({ day, yield_ });
  }
  return history;
}

const BLOCKS = '▁▂▃▄▅▆▇█';

/** A block as high as a share, from 0 to 1. */
export function barOf(share: number): string {
  return BLOCKS[Math.round(share * (BLOCKS.length - 1))]!;
}

/**
 * A history as a line of blocks on a logarithmic scale, the last day of several where it has more days than `columns`, with its days and
 * its least and greatest Yield. Empty with fewer than two days. `columns` null: a block for each day.
 */
export function historyChart(history: readonly DayYield[], columns: number | null): readonly string[] {
  const [first] = history;
  const last = history.at(-1);
  if (first === undefined || last === undefined || first === last) return [];
  const yields = history.map(({ yield_ }) => yield_);
  const [least, greatest] = [Math.min(...yields), Math.max(...yields)];
  const width = Math.min(yields.length, columns ?? yields.length);
  const blocks = Array.from({ length: width }, (_, index) => {
    const yield_ = yields[Math.ceil(((index + 1) * yields.length) / width) - 1]!;
    const share = least === greatest ? 0 : Math.log(yield_ / least) / Math.log(greatest / least);
    return barOf(share);
  });
  return [
    'All-time Yield by day, from submitted history:',
    blocks.join(''),
    `${first.day} to ${last.day}, least ${yieldText(least)}, greatest ${yieldText(greatest)}`,
  ];
}

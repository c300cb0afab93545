import {
  AGREEMENT_PERCENT,
  type Agreement,
  COUNT_FIELDS,
  type Counts,
  MAX_AGREEMENT_DAYS,
} from '../../../engine/contract/signing/index.ts';
import type { UsageStore } from '../store/usage-store.ts';
import { addCounts, zeroCounts } from '../store/usage-summary.ts';
import type { DaySums } from './day-sums.ts';
import { readMetrics } from './metrics-file.ts';

const DAY_SECONDS = 86_400;

/** Time after the end of a day until its last metrics have arrived, in seconds: exporters send them every minute. */
const LATE_SECONDS = 10 * 60;

/** The counts of both records on one day; absent where a record has none. */
export interface ComparedDay {
  /** Since the epoch. */
  readonly day: number;
  readonly logs: Counts | undefined;
  readonly metrics: Counts | undefined;
  readonly mark: '1' | '0' | '-';
}

/** Whether two counts of everything agree: each of the four within AGREEMENT_PERCENT of the larger one. */
export function agrees(one: Counts, other: Counts): boolean {
  return COUNT_FIELDS.every((field) => {
    const larger = Math.max(one[field], other[field]);
    return Math.abs(one[field] - other[field]) * 100 <= larger * AGREEMENT_PERCENT;
  });
}

/**
 * Compares the logs of each platform that has metrics with these, on each full day (UTC) after the one on which they began, the
 * last 30 of them. `now` in milliseconds. Platforms without such a day are absent.
 */
export function compareDays(
  store: UsageStore,
  days: DaySums,
  now: number,
): ReadonlyMap<string, readonly ComparedDay[]> {
  const last = Math.floor((now / 1000 - LATE_SECONDS) / DAY_SECONDS) - 1;
  const logs = usageByDay(store, last - MAX_AGREEMENT_DAYS + 1);
  const compared = new Map<string, readonly ComparedDay[]>();
  for (const [platform, began] of firstDays(days)) {
    const own: ComparedDay[] = [];
    for (let day = Math.max(began, last - MAX_AGREEMENT_DAYS) + 1; day <= last; day++) {
      const pair = { logs: logs.get(`${day} ${platform}`), metrics: days[day]?.[platform] };
      own.push({ day, ...pair, mark: markOf(pair) });
    }
    if (own.some(({ mark }) => mark !== '-')) compared.set(platform, own);
  }
  return compared;
}

/** The first day with metrics of each platform. */
function firstDays(days: DaySums): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const [day, platforms] of Object.entries(days)) {
    for (const platform of Object.keys(platforms)) {
      first.set(platform, Math.min(Number(day), first.get(platform) ?? Number.POSITIVE_INFINITY));
    }
  }
  return first;
}

function markOf({ logs, metrics }: Pick<ComparedDay, 'logs' | 'metrics'>): ComparedDay['mark'] {
  const [one, other] = [logs ?? zeroCounts(), metrics ?? zeroCounts()];
  if (COUNT_FIELDS.every((field) => one[field] === 0 && other[field] === 0)) return '-';
  return agrees(one, other) ? '1' : '0';
}

/** What snapshots state, by platform: nothing while metrics are not collected. `now` in milliseconds. */
export async function readAgreements(
  configDir: string,
  openUsages: () => Promise<UsageStore>,
  now: number,
): Promise<ReadonlyMap<string, Agreement>> {
  const collected = await readMetrics(configDir);
  if (collected === null) return new Map();
  const compared = compareDays(await openUsages(), collected.days, now);
  return new Map([...compared].map(([platform, days]) => [platform, agreementOf(days)]));
}

/** What a snapshot states of the days, of which there is at least one. */
function agreementOf(days: readonly ComparedDay[]): Agreement {
  const until = new Date(days.at(-1)!.day * DAY_SECONDS * 1000).toISOString().slice(0, 10);
  return { until, days: days.map(({ mark }) => mark).join('') };
}

/** The usage of each day from `first` on, by day and platform. */
function usageByDay({ platforms, table }: UsageStore, first: number): ReadonlyMap<string, Counts> {
  const sums = new Map<string, ReturnType<typeof zeroCounts>>();
  table.forEach(({ platform, counts, time }) => {
    const day = Math.floor(time / DAY_SECONDS);
    if (day < first) return;
    const key = `${day} ${platforms[platform]}`;
    const sum = sums.get(key) ?? zeroCounts();
    sums.set(key, sum);
    addCounts(sum, counts);
  });
  return sums;
}

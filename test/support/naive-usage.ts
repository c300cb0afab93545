import type { UsageSample } from '../../engine/ranking/core/operator-state/index.ts';

/**
 * The reference model of window totals: it computes them from all accepted snapshots, directly from the definitions, and
 * shares no code with the engine.
 */
export interface NaiveSnapshot {
  readonly ledger: string;
  readonly platform: string;
  readonly epoch: number;
  /** Milliseconds since the epoch. */
  readonly asOf: number;
  /** input, output, cache_read, cache_write */
  readonly counts: readonly [number, number, number, number];
  /** The day of receipt, and whether it is dated to that day or the two before; absent where nothing witnesses it. */
  readonly receipt?: { readonly day: number; readonly isRecent: boolean };
}

/** A stored or exported sample in the form of the model. */
export function snapshotOf({ ledger, platform, epoch, hour, counts, receipt }: UsageSample): NaiveSnapshot {
  const { input, output, cache_read, cache_write } = counts;
  const own = { ledger, platform, epoch, asOf: hour * HOUR + 1 };
  const received = receipt === undefined ? {} : { receipt: { day: receipt >> 1, isRecent: receipt % 2 === 1 } };
  return { ...own, counts: [input, output, cache_read, cache_write], ...received };
}

/** The snapshot as received at a moment. */
export function receivedAt(snapshot: NaiveSnapshot, moment: number): NaiveSnapshot {
  const day = Math.floor(moment / DAY);
  return { ...snapshot, receipt: { day, isRecent: snapshot.asOf >= (day - 2) * DAY } };
}

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** The start of each window as of `now`, in milliseconds; null = none. In the order all_time, 7d, 30d, 90d. */
export function windowStarts(now: number): (number | null)[] {
  const fullHour = now - (now % HOUR);
  const midnight = now - (now % DAY);
  return [null, fullHour - 168 * HOUR, midnight - 30 * DAY, midnight - 90 * DAY];
}

export function greatest(snapshots: readonly NaiveSnapshot[]): number[] {
  return [0, 1, 2, 3].map((field) => Math.max(0, ...snapshots.map(({ counts }) => counts[field]!)));
}

/** One stream's usage in a window: its current value minus its value at the window's start. */
function usedSince(stream: readonly NaiveSnapshot[], start: number | null): number[] {
  const epoch = Math.max(...stream.map((snapshot) => snapshot.epoch));
  const current = stream.filter((snapshot) => snapshot.epoch === epoch);
  const before = current.filter(({ asOf }) => start !== null && asOf - (asOf % HOUR) + HOUR <= start);
  const then = greatest(before);
  return greatest(current).map((value, field) => value - then[field]!);
}

export interface NaiveWindowUsage {
  readonly totals: readonly number[];
  readonly platform: string | null;
  /** Output, or a share of cache reads, beyond what the input of each stream allows. */
  readonly unsupported: number;
  /** Null when unranked. */
  readonly yield_: number | null;
}

/** An operator's usage in each window as of `now`. */
export function naiveUsage(snapshots: readonly NaiveSnapshot[], now: number): NaiveWindowUsage[] {
  const ordered = streamsOf(snapshots);
  return windowStarts(now).map((start) => {
    const totals = [0, 0, 0, 0];
    const tokens = new Map<string, number>();
    let unsupported = 0;
    for (const stream of ordered) {
      const used = usedSince(stream, start);
      used.forEach((value, field) => {
        totals[field]! += value;
      });
      const [own = 0, output = 0, reads = 0] = used;
      unsupported += Math.max(0, output - 200_000 * own, (reads - 4_000_000 * own) / 80);
      const { platform } = stream[0]!;
      tokens.set(platform, (tokens.get(platform) ?? 0) + used.reduce((sum, value) => sum + value, 0));
    }
    const [input = 0, output = 0, cacheRead = 0] = totals;
    const ranked = [...tokens].filter(([, sum]) => sum > 0).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
    return {
      totals,
      unsupported,
      platform: ranked[0]?.[0] ?? null,
      yield_: input > 0 ? (cacheRead * output) / (input * input) : null,
    };
  });
}

/** The snapshots of each stream, in the order in which streams are summed. */
export function streamsOf(snapshots: readonly NaiveSnapshot[]): NaiveSnapshot[][] {
  const streams = new Map<string, NaiveSnapshot[]>();
  for (const snapshot of snapshots) {
    const key = JSON.stringify([snapshot.ledger, snapshot.platform]);
    streams.set(key, [...(streams.get(key) ?? []), snapshot]);
  }
  return [...streams.values()].sort((a, b) => compareStreams(a[0]!, b[0]!));
}

function compareStreams(a: NaiveSnapshot, b: NaiveSnapshot): number {
  if (a.ledger !== b.ledger) return a.ledger < b.ledger ? -1 : 1;
  return a.platform < b.platform ? -1 : 1;
}

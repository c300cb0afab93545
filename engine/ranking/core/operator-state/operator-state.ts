import { COUNT_FIELDS, type Counts, countsAt } from '../../../contract/signing/index.ts';
import { WINDOWS } from '../../../contract/windows.ts';
import { STATISTICS, statisticAt, statisticsOf, WINDOW_NUMBERS } from '../../../integrity/index.ts';
import {
  alignRollup,
  type CounterSeries,
  coarseHour,
  EMPTY_SERIES,
  mergeSample,
  newestValue,
  thinSeries,
} from './counter-series.ts';
import { dayOf } from './hours.ts';
import { mergeProvenance, type Provenance } from './provenance.ts';
import { summarise, type WindowSummary } from './window-summary.ts';

/** Maximum number of active streams (ledger × platform) of one operator. */
export const MAX_STREAMS = 64;

/**
 * A stream that grew last more than this many days ago is retired: it counts as before, but no longer to `MAX_STREAMS`. Short, so
 * that daily runs on machines that are thrown away, each with new streams, find a place.
 */
export const RETIRED_AFTER_DAYS = 7;

/** Streams, retired ones included. Each keeps its newest sample, so that one that grows again counts once. */
const MAX_STORED_STREAMS = 4_096;

/** The samples of one ledger on one platform, in its highest epoch. */
export interface Stream {
  readonly ledger: string;
  readonly platform: string;
  readonly epoch: number;
  readonly series: CounterSeries;
  readonly provenance: Provenance | null;
  /** For each field the greatest count in lower epochs; null without any. */
  readonly former: Float64Array | null;
}

/** An operator's series, and its window totals as of `hour`. Streams are in the order of `compareStreams`. */
export interface OperatorState extends WindowSummary {
  readonly hour: number;
  readonly streams: readonly Stream[];
}

/** An accepted snapshot: a stream's cumulative counts at the end of `hour`. */
export interface UsageSample {
  readonly ledger: string;
  readonly platform: string;
  readonly epoch: number;
  readonly hour: number;
  readonly counts: Counts;
  readonly provenance?: Provenance | null;
}

/** `changed`: of the counts or the epoch. */
export type SampleOutcome = 'changed' | 'unchanged' | 'stream_limit';

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The order in which streams are stored and summed: ledger, then platform, by UTF-16 code units. */
function compareStreams(a: Pick<Stream, 'ledger' | 'platform'>, b: Pick<Stream, 'ledger' | 'platform'>): number {
  return byCodeUnits(a.ledger, b.ledger) || byCodeUnits(a.platform, b.platform);
}

export function emptyState(hour: number): OperatorState {
  return { hour, streams: [], ...summarise([], hour) };
}

function mergeIntoStream(stream: Stream | undefined, sample: UsageSample, hour: number): Stream {
  const { ledger, platform, epoch, counts } = sample;
  if (stream !== undefined && stream.epoch > epoch)
    return withFormer(
      stream,
      COUNT_FIELDS.map((name) => counts[name]),
    );
  const continues = stream !== undefined && stream.epoch === epoch;
  const series = mergeSample(continues ? stream.series : EMPTY_SERIES, coarseHour(sample.hour, hour), counts);
  const provenance = mergeProvenance(continues ? stream.provenance : null, sample.provenance ?? null);
  if (continues && series === stream.series && provenance === stream.provenance) return stream;
  const former = stream?.former ?? null;
  const merged = { ledger, platform, epoch, series, provenance, former };
  if (stream === undefined || continues) return merged;
  return withFormer(
    merged,
    COUNT_FIELDS.map((_, field) => newestValue(stream.series, field)),
  );
}

/** Raises the counts of a stream's lower epochs; returns the stream itself when nothing changes. */
function withFormer(stream: Stream, counts: readonly number[]): Stream {
  const former = stream.former ?? new Float64Array(COUNT_FIELDS.length);
  if (counts.every((count, field) => count <= former[field]!)) return stream;
  return { ...stream, former: former.map((known, field) => Math.max(known, counts[field]!)) };
}

/**
 * Merges samples into a state and advances it to `atLeastHour` (or keeps its hour, if that is later); returns
 * `operatorState` itself when neither the samples nor the hour change anything.
 *
 * The merge is commutative, associative and idempotent: any order, grouping and repetition of the same samples gives the
 * same streams, except which streams come first when the limit is reached. `outcomes` has one element per sample, in order.
 */
export function applySamples(
  operatorState: OperatorState,
  samples: readonly UsageSample[],
  atLeastHour: number,
): { readonly operatorState: OperatorState; readonly outcomes: readonly SampleOutcome[] } {
  const hour = Math.max(operatorState.hour, atLeastHour);
  const streams = [...operatorState.streams];
  let isAmended = false;
  const outcomes = samples.map((sample): SampleOutcome => {
    const index = streams.findIndex((stream) => compareStreams(stream, sample) >= 0);
    const found = index >= 0 && compareStreams(streams[index]!, sample) === 0 ? streams[index] : undefined;
    if (found === undefined && !hasPlace(streams, hour)) return 'stream_limit';
    const merged = mergeIntoStream(found, sample, hour);
    if (merged === found) return 'unchanged';
    isAmended = true;
    if (found === undefined) streams.splice(index < 0 ? streams.length : index, 0, merged);
    else streams[index] = merged;
    return merged.series === found?.series && merged.epoch === found.epoch ? 'unchanged' : 'changed';
  });
  const isDue = operatorState.nextDue !== null && operatorState.nextDue <= hour;
  if (!isDue && !isAmended) return { operatorState, outcomes };
  const thin = thinStreams(streams, hour);
  return { operatorState: { hour, streams: thin, ...summarise(thin, hour) }, outcomes };
}

function hasPlace(streams: readonly Stream[], hour: number): boolean {
  if (streams.length >= MAX_STORED_STREAMS) return false;
  let active = streams.length;
  for (const stream of streams) {
    if (active < MAX_STREAMS) return true;
    if (isRetired(stream, hour)) active--;
  }
  return active < MAX_STREAMS;
}

/** Compares days, because thinning keeps the day of a sample. A stream without counts is never retired. */
function isRetired({ series: { hours } }: Stream, hour: number): boolean {
  const newest = hours.at(-1);
  return newest !== undefined && dayOf(newest) + RETIRED_AFTER_DAYS < dayOf(hour);
}

/** The newest counts of an operator's streams. All of them sum to its totals of all time. */
export interface StreamCounts {
  /** In the order of `compareStreams`. */
  readonly active: readonly (Omit<Stream, 'series' | 'provenance' | 'former'> & {
    readonly counts: Counts;
    /** The hour under which its newest sample is stored; null without counts. */
    readonly hour: number | null;
  })[];
  /** For each platform the sum of its retired streams, and their number. */
  readonly retired: readonly { readonly platform: string; readonly streams: number; readonly counts: Counts }[];
}

/** Splits a state's streams into active and retired ones as of `hour`. With a ledger: only its streams, as if all were active. */
export function streamCounts({ streams }: OperatorState, hour: number, ledger: string | null = null): StreamCounts {
  const active: StreamCounts['active'][number][] = [];
  const retired = new Map<string, { streams: number; sums: number[] }>();
  for (const stream of streams) {
    if (ledger !== null && stream.ledger !== ledger) continue;
    const { series, provenance: _provenance, former: _former, ...names } = stream;
    const newest = COUNT_FIELDS.map((_, field) => newestValue(series, field));
    if (ledger !== null || !isRetired(stream, hour))
      active.push({ ...names, counts: countsAt(newest), hour: series.hours.at(-1) ?? null });
    else {
      const known = retired.get(stream.platform) ?? { streams: 0, sums: [0, 0, 0, 0] };
      const sums = known.sums.map((sum, field) => sum + newest[field]!);
      retired.set(stream.platform, { streams: known.streams + 1, sums });
    }
  }
  return {
    active,
    retired: [...retired].map(([platform, { streams: count, sums }]) => {
      return { platform, streams: count, counts: countsAt(sums) };
    }),
  };
}

/** The samples of a state: applied to an empty one, they give the same streams. The oldest of a stream has its provenance. */
export function samplesOf({ streams }: OperatorState): UsageSample[] {
  return streams.flatMap(({ ledger, platform, epoch, series: { hours, counts }, provenance, former }) => {
    const earlier: UsageSample[] =
      former === null ? [] : [{ ledger, platform, epoch: epoch - 1, hour: 0, counts: countsAt(former) }];
    // An unused stream has no sample, but its epoch counts.
    if (hours.length === 0) {
      return [...earlier, { ledger, platform, epoch, hour: 0, counts: countsAt([0, 0, 0, 0]), provenance }];
    }
    const samples = [...hours].map((hour, step): UsageSample => {
      const sample = { ledger, platform, epoch, hour, counts: countsAt(counts, step * COUNT_FIELDS.length) };
      return step === 0 && provenance !== null ? { ...sample, provenance } : sample;
    });
    return [...earlier, ...samples];
  });
}

/** The streams and the totals of a state's samples (`samplesOf`) as of its hour. */
export function readSamples(samples: readonly UsageSample[], hour: number): OperatorState {
  const streams = new Map<string, UsageSample[]>();
  for (const sample of samples) {
    const key = JSON.stringify([sample.ledger, sample.platform]);
    streams.set(key, [...(streams.get(key) ?? []), sample]);
  }
  // Apart from each other: a state may have more active streams than can be added.
  const made = [...streams.values()].flatMap((own) => applySamples(emptyState(hour), own, hour).operatorState.streams);
  const sorted = made.toSorted(compareStreams);
  return { hour, streams: sorted, ...summarise(sorted, hour) };
}

/** Whether the totals of a state are those of its samples at its hour, so that they can be compared with them. */
export function isCurrent({ nextDue, hour }: OperatorState): boolean {
  return nextDue === null || nextDue > hour;
}

/** The names of the stored totals and statistics of a state that differ from those of its samples at its hour. */
export function differingNumbers({ streams, hour, totals }: OperatorState): string[] {
  const { totals: expected } = summarise(streams, hour);
  const [stored, computed] = [statisticsOf(totals), statisticsOf(expected)];
  return WINDOWS.flatMap((window, index) => {
    const at = index * WINDOW_NUMBERS;
    const counts = COUNT_FIELDS.filter((_, field) => totals[at + field] !== expected[at + field]);
    const statistics = STATISTICS.filter((name) => {
      const place = statisticAt(index, name);
      return stored[place] !== computed[place];
    });
    return [...counts, ...statistics].map((name) => `${name} of ${window}`);
  });
}

/** The canonical form of a state as of `hour`, for comparison: thinned, with the rollup aligned. Totals stay the same. */
export function stateAt(operatorState: OperatorState, hour: number): OperatorState {
  const { operatorState: advanced } = applySamples(operatorState, [], hour);
  const streams = thinStreams(advanced.streams, hour).map((stream) => ({
    ...stream,
    series: alignRollup(stream.series, hour),
  }));
  return { ...advanced, hour: Math.max(hour, advanced.hour), streams };
}

function thinStreams(streams: readonly Stream[], hour: number): Stream[] {
  return streams.map((stream) => {
    const series = thinSeries(stream.series, hour);
    return series === stream.series ? stream : { ...stream, series };
  });
}

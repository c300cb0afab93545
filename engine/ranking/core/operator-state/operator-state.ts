import { COUNT_FIELDS, type Counts, countsAt } from '../../../contract/signing/index.ts';
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
import { summarise, type WindowSummary } from './window-summary.ts';

/** Maximum number of active streams (ledger × platform) of one operator. */
export const MAX_STREAMS = 64;

/** A stream that grew last more than this many days ago is retired: it counts as before, but no longer to `MAX_STREAMS`. */
export const RETIRED_AFTER_DAYS = 30;

/**
 * Maximum number of streams, retired ones included: bounds an operator's record. Each keeps its newest sample, because only
 * that makes a stream that grows again count once.
 */
const MAX_STORED_STREAMS = 4_096;

/** The samples of one ledger on one platform, in its highest epoch. */
export interface Stream {
  readonly ledger: string;
  readonly platform: string;
  readonly epoch: number;
  readonly series: CounterSeries;
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
}

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
  const { ledger, platform, epoch } = sample;
  if (stream !== undefined && stream.epoch > epoch) return stream;
  const continues = stream !== undefined && stream.epoch === epoch;
  const series = mergeSample(continues ? stream.series : EMPTY_SERIES, coarseHour(sample.hour, hour), sample.counts);
  if (continues && series === stream.series) return stream;
  return { ledger, platform, epoch, series };
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
  const outcomes = samples.map((sample): SampleOutcome => {
    const index = streams.findIndex((stream) => compareStreams(stream, sample) >= 0);
    const found = index >= 0 && compareStreams(streams[index]!, sample) === 0 ? streams[index] : undefined;
    if (found === undefined && !hasPlace(streams, hour)) return 'stream_limit';
    const merged = mergeIntoStream(found, sample, hour);
    if (merged === found) return 'unchanged';
    if (found === undefined) streams.splice(index < 0 ? streams.length : index, 0, merged);
    else streams[index] = merged;
    return 'changed';
  });
  const isDue = operatorState.nextDue !== null && operatorState.nextDue <= hour;
  if (!isDue && !outcomes.includes('changed')) return { operatorState, outcomes };
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
  readonly active: readonly (Omit<Stream, 'series'> & {
    readonly counts: Counts;
    /** The hour under which its newest sample is stored; null without counts. */
    readonly hour: number | null;
  })[];
  /** For each platform the sum of its retired streams, and their number. */
  readonly retired: readonly { readonly platform: string; readonly streams: number; readonly counts: Counts }[];
}

/** Splits a state's streams into active and retired ones as of `hour`. */
export function streamCounts({ streams }: OperatorState, hour: number): StreamCounts {
  const active: StreamCounts['active'][number][] = [];
  const retired = new Map<string, { streams: number; sums: number[] }>();
  for (const stream of streams) {
    const { series, ...names } = stream;
    const newest = COUNT_FIELDS.map((_, field) => newestValue(series, field));
    if (!isRetired(stream, hour))
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

/** The samples of a state: applying them to an empty state gives these series again. */
export function samplesOf({ streams }: OperatorState): UsageSample[] {
  return streams.flatMap(({ ledger, platform, epoch, series: { hours, counts } }) => {
    // An unused stream has no sample, but its epoch counts.
    if (hours.length === 0) return { ledger, platform, epoch, hour: 0, counts: countsAt([0, 0, 0, 0]) };
    return [...hours].map((hour, step): UsageSample => {
      return { ledger, platform, epoch, hour, counts: countsAt(counts, step * COUNT_FIELDS.length) };
    });
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

import { COUNT_FIELDS, type Counts, countsAt } from '../../../contract/signing/index.ts';
import { WINDOWS } from '../../../contract/windows.ts';
import { WINDOW_NUMBER_NAMES, WINDOW_NUMBERS } from '../../../integrity/index.ts';
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
import { firstKeptDay, mergeReceipt, NO_RECEIPTS, type Receipts, receiptSteps, withoutDaysBefore } from './receipts.ts';
import { isSameNumbers, summarise, type WindowSummary } from './window-summary.ts';
import { addOlder, type OlderDays } from './witness.ts';

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
  readonly receipts: Receipts;
}

/** An operator's series, and its window totals as of `hour`. Streams are in the order of `compareStreams`. */
export interface OperatorState extends WindowSummary {
  readonly hour: number;
  readonly streams: readonly Stream[];
  /** Witnessed days before those that receipts keep. */
  readonly older: readonly OlderDays[];
}

/** An accepted snapshot: a stream's cumulative counts at the end of `hour`. */
export interface UsageSample {
  readonly ledger: string;
  readonly platform: string;
  readonly epoch: number;
  readonly hour: number;
  readonly counts: Counts;
  readonly provenance?: Provenance | null;
  /** When it was received, by `receiptKey`; absent for a sample that no receipt dates. */
  readonly receipt?: number;
}

/** `changed`: of the counts or the epoch. */
export type SampleOutcome = 'changed' | 'unchanged' | 'stream_limit';

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The order in which streams are stored and summed: ledger, then platform, by UTF-16 code units. */
function compareStreams(a: Pick<Stream, 'ledger' | 'platform'>, b: Pick<Stream, 'ledger' | 'platform'>): number {
  return byCodeUnits(a.ledger, b.ledger) || byCodeUnits(a.platform, b.platform);
}

export function emptyState(hour: number): OperatorState {
  return stateOf([], [], hour);
}

function stateOf(streams: readonly Stream[], older: readonly OlderDays[], hour: number): OperatorState {
  return { hour, streams, older, ...summarise(streams, older, hour) };
}

function mergeIntoStream(stream: Stream | undefined, sample: UsageSample, hour: number): Stream {
  const { ledger, platform, epoch, counts, receipt } = sample;
  const known = stream?.receipts ?? NO_RECEIPTS;
  const receipts = receipt === undefined ? known : mergeReceipt(known, receipt, epoch, counts);
  if (stream !== undefined && stream.epoch > epoch) return receipts === known ? stream : { ...stream, receipts };
  const continues = stream !== undefined && stream.epoch === epoch;
  const series = mergeSample(continues ? stream.series : EMPTY_SERIES, coarseHour(sample.hour, hour), counts);
  const provenance = mergeProvenance(continues ? stream.provenance : null, sample.provenance ?? null);
  const isKnown = continues && series === stream.series && provenance === stream.provenance && receipts === known;
  return isKnown ? stream : { ledger, platform, epoch, series, provenance, receipts };
}

/** A state, and one outcome for each sample, in order. */
export interface Applied {
  readonly operatorState: OperatorState;
  readonly outcomes: readonly SampleOutcome[];
}

/**
 * Merges samples into a state and advances it to `atLeastHour` (or keeps its hour, if that is later); returns
 * `operatorState` itself when neither the samples nor the hour change anything.
 *
 * The merge is commutative, associative and idempotent: any order, grouping and repetition of the same samples gives the
 * same streams, except which streams come first when the limit is reached, and except samples that arrive when their day of receipt
 * is no longer kept: they are imported.
 */
export function applySamples(
  operatorState: OperatorState,
  samples: readonly UsageSample[],
  atLeastHour: number,
): Applied {
  const hour = Math.max(operatorState.hour, atLeastHour);
  const first = 2 * firstKeptDay(hour);
  const kept = samples.map((sample) =>
    sample.receipt === undefined || sample.receipt >= first ? sample : { ...sample, receipt: first },
  );
  const { streams, outcomes, isAmended } = mergeSamples(operatorState.streams, kept, hour);
  const isDue = operatorState.nextDue !== null && operatorState.nextDue <= hour;
  if (!isDue && !isAmended) return { operatorState, outcomes };
  return { operatorState: advanced(streams, operatorState.older, hour), outcomes };
}

/** As `applySamples`, keeping all days of receipt, for samples of any age that come in several parts; `applySamples` then ends it. */
export function collectSamples(operatorState: OperatorState, samples: readonly UsageSample[]): Applied {
  const { hour, older } = operatorState;
  const { streams, outcomes, isAmended } = mergeSamples(operatorState.streams, samples, hour);
  return { operatorState: isAmended ? stateOf(thinStreams(streams, hour), older, hour) : operatorState, outcomes };
}

/** Thins the series as of an hour, and counts the days of receipt that are no longer kept. */
function advanced(streams: readonly Stream[], older: readonly OlderDays[], hour: number): OperatorState {
  return countDaysBefore({ streams: thinStreams(streams, hour), older, hour }, firstKeptDay(hour));
}

/** The state with days of receipt before `day` among the older ones. */
export function countDaysBefore(
  { streams, older, hour }: Pick<OperatorState, 'streams' | 'older' | 'hour'>,
  day: number,
): OperatorState {
  const kept = streams.map((stream) => {
    const receipts = withoutDaysBefore(stream.receipts, day);
    return receipts === stream.receipts ? stream : { ...stream, receipts };
  });
  const isCounted = kept.some((stream, at) => stream !== streams[at]);
  return stateOf(kept, isCounted ? addOlder(streams, older, day) : older, hour);
}

function mergeSamples(known: readonly Stream[], samples: readonly UsageSample[], hour: number) {
  const streams = [...known];
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
  return { streams, outcomes, isAmended };
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
  readonly active: readonly (Omit<Stream, 'series' | 'provenance' | 'receipts'> & {
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
    const { series, provenance: _provenance, receipts: _receipts, ...names } = stream;
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

/** The samples of a state: with its older days they give the same streams. The oldest of a stream has its provenance. */
export function samplesOf({ streams }: Pick<OperatorState, 'streams'>): UsageSample[] {
  return streams.flatMap(({ ledger, platform, epoch, series: { hours, counts }, provenance, receipts }) => {
    const stream = { ledger, platform };
    // What a receipt states is in the series as well, at the latest under its last hour.
    const last = hours.at(-1) ?? 0;
    const received = receiptSteps(receipts).map((step): UsageSample => {
      return { ...stream, epoch: step.epoch, hour: last, counts: countsAt(step.counts), receipt: step.key };
    });
    // An unused stream has no sample, but its epoch counts.
    if (hours.length === 0) {
      return [{ ...stream, epoch, hour: 0, counts: countsAt([0, 0, 0, 0]), provenance }, ...received];
    }
    const samples = [...hours].map((hour, step): UsageSample => {
      const sample = { ...stream, epoch, hour, counts: countsAt(counts, step * COUNT_FIELDS.length) };
      return step === 0 && provenance !== null ? { ...sample, provenance } : sample;
    });
    return [...samples, ...received];
  });
}

/** The state of samples (`samplesOf`) and older days as of its hour. */
export function readSamples(samples: readonly UsageSample[], older: readonly OlderDays[], hour: number): OperatorState {
  const streams = new Map<string, UsageSample[]>();
  for (const sample of samples) {
    const key = JSON.stringify([sample.ledger, sample.platform]);
    streams.set(key, [...(streams.get(key) ?? []), sample]);
  }
  // Apart from each other: a state may have more active streams than can be added.
  const made = [...streams.values()].flatMap((own) => collectSamples(emptyState(hour), own).operatorState.streams);
  return stateOf(made.toSorted(compareStreams), older, hour);
}

/** Whether the totals of a state are those of its samples at its hour, so that they can be compared with them. */
export function isCurrent({ nextDue, hour }: OperatorState): boolean {
  return nextDue === null || nextDue > hour;
}

/** The names of what is stored of a state and differs from what its samples give at its hour. */
export function differingNumbers({ streams, older, hour, ...stored }: OperatorState): string[] {
  const { totals, witnessed, platforms, platformTotals } = stored;
  const expected = summarise(streams, older, hour);
  const differing = WINDOWS.flatMap((window, index) =>
    WINDOW_NUMBER_NAMES.filter((_, place) => {
      const at = index * WINDOW_NUMBERS + place;
      return totals[at] !== expected.totals[at];
    }).map((name) => `${name} of ${window}`),
  );
  const { recent, ever } = expected.witnessed;
  const isWitnessed = witnessed.recent === recent && witnessed.ever === ever;
  const isNamed = platforms.every((platform, window) => platform === expected.platforms[window]);
  const isSplit = isSameNumbers(platformTotals, expected.platformTotals);
  return [
    ...differing,
    ...(isWitnessed ? [] : ['witnessed days']),
    ...(isNamed ? [] : ['platforms']),
    ...(isSplit ? [] : ['totals of platforms']),
  ];
}

/** The canonical form of a state as of `hour`, for comparison: thinned, with the rollup aligned. Totals stay the same. */
export function stateAt({ streams, older, hour: known }: OperatorState, hour: number): OperatorState {
  const state = advanced(streams, older, Math.max(known, hour));
  const aligned = state.streams.map((stream) => ({ ...stream, series: alignRollup(stream.series, hour) }));
  return { ...state, streams: aligned };
}

function thinStreams(streams: readonly Stream[], hour: number): Stream[] {
  return streams.map((stream) => {
    const series = thinSeries(stream.series, hour);
    return series === stream.series ? stream : { ...stream, series };
  });
}

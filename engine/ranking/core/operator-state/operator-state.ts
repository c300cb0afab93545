import type { Counts } from '../../../contract/signing/index.ts';
import {
  type CounterSeries,
  coarseHour,
  EMPTY_SERIES,
  mergeSample,
  rolledUpAtOneHour,
  thinSeries,
} from './counter-series.ts';
import { summarise, type WindowSummary } from './window-summary.ts';

/** The most streams (ledger × platform) one operator may have. */
export const MAX_STREAMS = 64;

/** The marks of one ledger on one platform, in its highest epoch. */
export interface Stream {
  readonly ledger: string;
  readonly platform: string;
  readonly epoch: number;
  readonly series: CounterSeries;
}

/** What is known of an operator's usage, and its window totals as of `hour`. Streams are in the order of `compareStreams`. */
export interface OperatorState extends WindowSummary {
  readonly hour: number;
  readonly streams: readonly Stream[];
}

/** What an accepted snapshot says: at the end of `hour` these were a stream's totals. */
export interface UsageFact {
  readonly ledger: string;
  readonly platform: string;
  readonly epoch: number;
  readonly hour: number;
  readonly counts: Counts;
}

export type FactOutcome = 'changed' | 'unchanged' | 'stream_limit';

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The fixed order in which streams are stored and summed: ledger, then platform, by UTF-16 code units. */
function compareStreams(a: Pick<Stream, 'ledger' | 'platform'>, b: Pick<Stream, 'ledger' | 'platform'>): number {
  return byCodeUnits(a.ledger, b.ledger) || byCodeUnits(a.platform, b.platform);
}

/** An operator of whom nothing is known yet. */
export function emptyState(hour: number): OperatorState {
  return { hour, streams: [], ...summarise([], hour) };
}

function joinFact(stream: Stream | undefined, fact: UsageFact, hour: number): Stream {
  const { ledger, platform, epoch } = fact;
  if (stream !== undefined && stream.epoch > epoch) return stream;
  const continues = stream !== undefined && stream.epoch === epoch;
  const series = mergeSample(continues ? stream.series : EMPTY_SERIES, coarseHour(fact.hour, hour), fact.counts);
  if (continues && series === stream.series) return stream;
  return { ledger, platform, epoch, series };
}

/**
 * Folds facts into a standing and brings it to `atLeastHour` (or to its own hour, if that is later); the same object when
 * neither the facts nor the hour move anything.
 *
 * Joining is commutative, associative and idempotent: any order, grouping and repetition of the same facts gives the same
 * streams, apart from which streams were there first when the limit is reached. The outcomes answer the facts in order.
 */
export function applySamples(
  operatorState: OperatorState,
  facts: readonly UsageFact[],
  atLeastHour: number,
): { readonly operatorState: OperatorState; readonly outcomes: readonly FactOutcome[] } {
  const hour = Math.max(operatorState.hour, atLeastHour);
  const streams = [...operatorState.streams];
  const outcomes = facts.map((fact): FactOutcome => {
    const index = streams.findIndex((stream) => compareStreams(stream, fact) >= 0);
    const found = index >= 0 && compareStreams(streams[index]!, fact) === 0 ? streams[index] : undefined;
    if (found === undefined && streams.length >= MAX_STREAMS) return 'stream_limit';
    const joined = joinFact(found, fact, hour);
    if (joined === found) return 'unchanged';
    if (found === undefined) streams.splice(index < 0 ? streams.length : index, 0, joined);
    else streams[index] = joined;
    return 'changed';
  });
  const moved = operatorState.nextDue !== null && operatorState.nextDue <= hour;
  if (!moved && !outcomes.includes('changed')) return { operatorState, outcomes };
  const thin = thinStreams(streams, hour);
  return { operatorState: { hour, streams: thin, ...summarise(thin, hour) }, outcomes };
}

/**
 * A standing as it would be if it had been folded at `hour`, in a form that equal facts give in any order: its marks as coarse
 * as they are kept then, and what is carried of older days at one hour. For comparing; totals are the same either way.
 */
export function stateAt(operatorState: OperatorState, hour: number): OperatorState {
  const { operatorState: moved } = applySamples(operatorState, [], hour);
  const streams = thinStreams(moved.streams, hour).map((stream) => ({
    ...stream,
    series: rolledUpAtOneHour(stream.series, hour),
  }));
  return { ...moved, hour: Math.max(hour, moved.hour), streams };
}

function thinStreams(streams: readonly Stream[], hour: number): Stream[] {
  return streams.map((stream) => {
    const series = thinSeries(stream.series, hour);
    return series === stream.series ? stream : { ...stream, series };
  });
}

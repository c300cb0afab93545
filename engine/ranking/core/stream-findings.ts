import { COUNT_FIELDS, countsAt } from '../../contract/signing/index.ts';
import {
  boundFor,
  MEASUREMENT,
  type Measure,
  maskOf,
  measureOf,
  RULE_SETS,
  ruleNamed,
  type StreamMeasure,
  sourceOf,
  statisticAt,
  statisticsOf,
  WINDOW_NUMBERS,
} from '../../integrity/index.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import type { OperatorState } from './operator-state/index.ts';
import { scoreOf } from './score.ts';
import { streamPrints } from './series-sketch.ts';

type Streams = Pick<OperatorState, 'streams' | 'hour'>;

/** How far a stream, or the streams of a platform together, are beyond a bound. */
export interface StreamCrossing {
  readonly platform: string;
  readonly measure: Measure | StreamMeasure;
  readonly measured: number;
  readonly bound: number;
  readonly ratio: number;
}

const FIELDS = COUNT_FIELDS.length;

const FINDERS: Readonly<Record<string, (state: Streams, methodology: Methodology) => StreamCrossing[]>> = {
  'unusual-stream': unusualStreams,
  'repeated-stream': repeatedStreams,
  'multiplied-counts': multipliedCounts,
};

/** The rules that compare an operator's single streams. Its totals cannot show them. */
export const STREAM_RULES = maskOf(({ name }) => Object.hasOwn(FINDERS, name));

/** The rules that an operator's streams cross, each with what is farthest beyond its bound. */
export function streamFindings(state: Streams, methodology: Methodology): ReadonlyMap<string, StreamCrossing> {
  const found = Object.entries(FINDERS).flatMap(([rule, find]) => {
    const [most] = find(state, methodology).toSorted((a, b) => b.ratio - a.ratio);
    return most === undefined || most.ratio <= 1 ? [] : [[rule, most] as const];
  });
  return new Map(found);
}

/** The ratios of each stream, and of the streams of each platform together, that have the usage which a row needs. */
function unusualStreams({ streams }: Streams, methodology: Methodology): StreamCrossing[] {
  // A single stream has the counts of the operator, which other rules compare.
  if (methodology.rules === null || streams.length < 2) return [];
  const platforms = new Map<string, number[]>();
  const own = streams.map(({ platform, series: { counts } }) => {
    const newest = [...counts.subarray(-FIELDS)];
    const sums = platforms.get(platform);
    platforms.set(platform, sums === undefined ? newest : sums.map((sum, field) => sum + (newest[field] ?? 0)));
    return [platform, newest] as const;
  });
  const bounds = RULE_SETS.get(methodology.rules)!.bounds.flatMap((bound) => {
    const { measure } = ruleNamed(bound.rule);
    return isRatio(measure) && ruleNamed(bound.rule).kind === 'statistics' ? [{ measure, bound }] : [];
  });
  return [...own, ...platforms].flatMap(([platform, counts]) => {
    if (counts.length === 0 || scoreOf(countsAt(counts), methodology) === null) return [];
    const totals = new Float64Array(WINDOW_NUMBERS);
    totals.set(counts);
    const statistics = statisticsOf(totals);
    statistics[statisticAt(0, 'source')] = sourceOf(platform);
    return bounds.map(({ measure, bound }) =>
      crossing(platform, measure, measureOf(measure, totals, statistics, 0), boundFor(bound, platform)),
    );
  });
}

/** Whether a measure is a ratio of counts: a stream's has the bound of its platform. */
function isRatio(measure: Measure | null): measure is Measure {
  return measure === 'leverage' || measure === 'velocity' || measure === 'yield' || measure === 'fill';
}

/** The days of each stream on which others grew in the same proportions. */
function repeatedStreams({ streams, hour }: Streams): StreamCrossing[] {
  if (streams.length < MEASUREMENT.repeating_streams) return [];
  const prints = streams.map(({ series }) => [...streamPrints(series, hour)]);
  const holders = new Map<number, number>();
  for (const print of prints.flat()) holders.set(print, (holders.get(print) ?? 0) + 1);
  return streams.map(({ platform }, index) => {
    const shared = prints[index]!.filter((print) => holders.get(print)! >= MEASUREMENT.repeating_streams);
    return crossing(platform, 'repeatedDays', shared.length, MEASUREMENT.repeated_days);
  });
}

/** The growths of each count that are all multiples of one number, and large. Requests often have the same few tokens of input. */
function multipliedCounts({ streams }: Streams): StreamCrossing[] {
  const fields = [...COUNT_FIELDS.keys()].filter((field) => COUNT_FIELDS[field] !== 'input');
  return streams.flatMap(({ platform, series: { counts } }) =>
    fields.map((field) => crossing(platform, 'multiples', multiplesIn(counts, field), MEASUREMENT.multiples)),
  );
}

/** How many growths of a count there are if all are multiples of one number and large; 0 otherwise. */
function multiplesIn(counts: Float64Array, field: number): number {
  let [divisor, growths, before] = [0, 0, 0];
  for (let at = field; at < counts.length && divisor !== 1; at += FIELDS) {
    const growth = counts[at]! - before;
    if (growth > 0) {
      divisor = oddDivisor(growth, divisor);
      growths++;
    }
    before = counts[at]!;
  }
  return divisor > 1 && before / growths / divisor >= MEASUREMENT.multiplied_tokens ? growths : 0;
}

/** The greatest common divisor without its factors of two: caches are filled in blocks of 64 or 128 tokens. */
function oddDivisor(growth: number, divisor: number): number {
  let [left, right] = [divisor, growth];
  while (left !== 0) [left, right] = [right % left, left];
  while (right % 2 === 0) right /= 2;
  return right;
}

const crossing = (platform: string, measure: StreamCrossing['measure'], measured: number, bound: number) => {
  return { platform, measure, measured, bound, ratio: measured / bound };
};

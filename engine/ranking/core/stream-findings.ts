import { COUNT_FIELDS } from '../../contract/signing/index.ts';
import {
  boundFor,
  type Measure,
  maskOf,
  measureOf,
  RULE_SETS,
  ruleNamed,
  SOURCES,
  type StreamMeasure,
  sourceOf,
  statisticAt,
  statisticsOf,
  THRESHOLDS,
  WINDOW_NUMBERS,
} from '../../integrity/index.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { newestValue, type OperatorState } from './operator-state/index.ts';
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

/** Raised with each change of what they find: all operators are then checked again. */
export const STREAM_RULES_VERSION = 1;

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

/** The ratios of each stream, and of the streams of each platform together, with the tokens that a row needs. */
function unusualStreams({ streams }: Streams, methodology: Methodology): StreamCrossing[] {
  // A single stream has the counts of the operator, which other rules compare.
  if (methodology.rules === null || streams.length < 2) return [];
  const platforms = new Map<string, number[]>();
  const own = streams.map(({ platform, series }) => {
    const newest = COUNT_FIELDS.map((_, field) => newestValue(series, field));
    const sums = platforms.get(platform);
    platforms.set(platform, sums === undefined ? newest : sums.map((sum, field) => sum + newest[field]!));
    return [platform, newest] as const;
  });
  const bounds = RULE_SETS.get(methodology.rules)!.bounds.flatMap((bound) => {
    const { measure } = ruleNamed(bound.rule);
    return isRatio(measure) && ruleNamed(bound.rule).kind === 'statistics' ? [{ measure, bound }] : [];
  });
  return [...own, ...platforms].flatMap(([platform, counts]) => {
    if (counts.reduce((sum, count) => sum + count) < methodology.eligibility.minimum_tokens) return [];
    const totals = new Float64Array(WINDOW_NUMBERS);
    totals.set(counts);
    const statistics = statisticsOf(totals);
    statistics[statisticAt(0, 'source')] = sourceOf(platform);
    return bounds.map(({ measure, bound }) =>
      crossing(
        SOURCES[sourceOf(platform)]!.platform,
        measure,
        measureOf(measure, totals, statistics, 0),
        boundFor(bound, platform),
      ),
    );
  });
}

/** Whether a measure is a ratio of counts: a stream's has the bound of its platform. */
function isRatio(measure: Measure | null): measure is Measure {
  return measure === 'leverage' || measure === 'velocity' || measure === 'yield' || measure === 'fill';
}

/** The growths by day of each stream that others have in the same proportions. Equal runs on several machines are one growth. */
function repeatedStreams({ streams, hour }: Streams): StreamCrossing[] {
  if (streams.length < THRESHOLDS.repeating_streams) return [];
  const prints = streams.map(({ series }) => [...streamPrints(series, hour)]);
  const holders = new Map<number, number>();
  for (const print of prints.flat()) holders.set(print, (holders.get(print) ?? 0) + 1);
  return streams.map(({ platform }, index) => {
    const shared = prints[index]!.filter((print) => holders.get(print)! >= THRESHOLDS.repeating_streams);
    return crossing(platform, 'sharedGrowths', shared.length, THRESHOLDS.shared_growths);
  });
}

/** The growths of each count that are all multiples of one number, and large. Requests often have the same few tokens of input. */
function multipliedCounts({ streams }: Streams): StreamCrossing[] {
  const fields = [...COUNT_FIELDS.keys()].filter((field) => COUNT_FIELDS[field] !== 'input');
  return streams.flatMap(({ platform, series: { counts } }) =>
    fields.map((field) => crossing(platform, 'multiples', multiplesIn(counts, field), THRESHOLDS.multiples)),
  );
}

/** How many growths of a count there are if all are multiples of one number, and large; 0 otherwise. */
function multiplesIn(counts: Float64Array, field: number): number {
  let [divisor, growths, before] = [0, 0, 0];
  for (let at = field; at < counts.length && divisor !== 1; at += FIELDS) {
    const growth = counts[at]! - before;
    if (growth > 0) {
      divisor = commonDivisor(growth, divisor);
      growths++;
    }
    before = counts[at]!;
  }
  const isOfCache = COUNT_FIELDS[field] !== 'output';
  const isBlock = isOfCache && divisor % THRESHOLDS.cache_block === 0;
  const isFactor = divisor > 1 && divisor < THRESHOLDS.cached_prompt && !Number.isInteger(Math.log2(divisor));
  return isFactor && !isBlock && before / growths >= THRESHOLDS.multiplied_tokens * divisor ? growths : 0;
}

function commonDivisor(growth: number, divisor: number): number {
  let [left, right] = [divisor, growth];
  while (left !== 0) [left, right] = [right % left, left];
  return right;
}

const crossing = (platform: string, measure: StreamCrossing['measure'], measured: number, bound: number) => {
  return { platform, measure, measured, bound, ratio: measured / bound };
};

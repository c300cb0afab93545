import { COUNT_FIELDS } from '../contract/signing/index.ts';
import { boundFor, type RuleSet } from './rule-set.ts';
import { bitOf, type Measure, maskOf, ruleNamed } from './rules.ts';
import { SOURCES } from './sources.ts';
import { STATISTICS, type Statistic, statisticAt, WINDOW_NUMBERS } from './statistics.ts';

/** Rules that a record asserts (`findings`), and rules that a review waived (`cleared`), as masks. */
export interface Assertions {
  readonly findings: number;
  readonly cleared: number;
}

export const NO_ASSERTIONS: Assertions = { findings: 0, cleared: 0 };

const FINDINGS = maskOf(({ kind, lasting }) => kind === 'finding' || lasting === true);
const SOURCE = STATISTICS.indexOf('source');
const FILLS_BY_INPUT_ALONE = SOURCES.map(({ cacheWrites }) => !cacheWrites);

/** Reads a measure of the window whose numbers begin at `at`: statistics from `statistics`, the rest from `totals`. */
type Read = (totals: Float64Array, statistics: Float32Array, at: number) => number;

/** Ratios to the input; 0 without input, which is not a ratio. */
const RATIOS: Readonly<Record<Exclude<Measure, Statistic>, Read>> = {
  leverage: (totals, _, at) => perInput(totals[at + 2]!, totals[at]!),
  velocity: (totals, _, at) => perInput(totals[at + 1]!, totals[at]!),
  yield: (totals, _, at) => perInput(totals[at + 2]!, totals[at]!) * perInput(totals[at + 1]!, totals[at]!),
  context(totals, _, at) {
    const least = Math.min(totals[at]!, totals[at + 1]!);
    return totals[at]! > 0 ? totals[at + 2]! / Math.max(1, least) : 0;
  },
  fill(totals, statistics, at) {
    const source = statistics[2 * (at + COUNT_FIELDS.length) + SOURCE]!;
    const written = FILLS_BY_INPUT_ALONE[source] === true ? 0 : totals[at + 3]!;
    return perInput(totals[at + 2]!, totals[at]! + written);
  },
};

function perInput(tokens: number, input: number): number {
  return input > 0 ? tokens / input : 0;
}

function isStatistic(measure: Measure): measure is Statistic {
  return STATISTICS.some((name) => name === measure);
}

function readerOf(measure: Measure): Read {
  if (!isStatistic(measure)) return RATIOS[measure];
  const offset = statisticAt(0, measure);
  return (_, statistics, at) => statistics[2 * at + offset]!;
}

/** What a rule measures in one window of an operator's totals. */
export function measureOf(measure: Measure, totals: Float64Array, statistics: Float32Array, window: number): number {
  return readerOf(measure)(totals, statistics, window * WINDOW_NUMBERS);
}

/**
 * The mask of the window whose numbers begin at `at` (in doubles). `hasVolume`: whether the window has the usage that the
 * methodology asks for. Allocates nothing.
 */
export type MaskOf = (
  totals: Float64Array,
  statistics: Float32Array,
  at: number,
  hasVolume: boolean,
  findings: number,
  cleared: number,
) => number;

/** The rules of a set as one function; without a set, only what the record asserts. */
export function maskUnder(set: RuleSet | null): MaskOf {
  const compiled = (set?.bounds ?? []).map((bound) => {
    const rule = ruleNamed(bound.rule);
    const bounds = Float64Array.from(SOURCES, ({ platform }) => boundFor(bound, platform));
    return { read: readerOf(rule.measure!), bit: bitOf(rule), bounds, always: rule.kind === 'physics' };
  });
  return (totals, statistics, at, hasVolume, findings, cleared) => {
    let mask = findings & FINDINGS;
    const source = statistics[2 * (at + COUNT_FIELDS.length) + SOURCE]!;
    for (const { read, bit, bounds, always } of compiled) {
      if ((always || hasVolume) && read(totals, statistics, at) > bounds[source]!) mask |= bit;
    }
    return mask & ~cleared;
  };
}

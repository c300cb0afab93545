import { countsAt } from '../../contract/signing/index.ts';
import { WINDOWS } from '../../contract/windows.ts';
import {
  type Assertions,
  EXCLUDING,
  type MaskOf,
  maskUnder,
  RULE_SETS,
  statisticsOf,
  WINDOW_NUMBERS,
} from '../../integrity/index.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { type Score, scoreOf, type YieldOf, yieldUnder } from './score.ts';

/** What an operator's record is scored by. */
export interface ScoredRecord {
  /** As `WindowSummary.totals`. */
  readonly totals: Float64Array;
  readonly assertions: Assertions;
}

/** A window of a record under a methodology. */
export interface WindowResult {
  /** Null when the window is not ranked. */
  readonly score: Score | null;
  /** The rules that the window crosses: see `engine/integrity`. */
  readonly mask: number;
}

interface Compiled {
  readonly yieldOf: YieldOf;
  readonly maskOf: MaskOf;
}

const compiledBy = new WeakMap<Methodology, Compiled>();

function compiled(methodology: Methodology): Compiled {
  const known = compiledBy.get(methodology);
  if (known !== undefined) return known;
  const set = methodology.rules === null ? null : RULE_SETS.get(methodology.rules)!;
  const made = { yieldOf: yieldUnder(methodology), maskOf: maskUnder(set) };
  compiledBy.set(methodology, made);
  return made;
}

/** The Yields of many records in one array of totals. */
export type YieldsWriter = (
  totals: Float64Array,
  statistics: Float32Array,
  /** Of the record, in doubles. */
  from: number,
  findings: number,
  cleared: number,
  yields: Float64Array,
  at: number,
) => void;

/** The mask of a record's window that begins at `from` (in doubles). */
export type MaskReader = (
  totals: Float64Array,
  statistics: Float32Array,
  from: number,
  findings: number,
  cleared: number,
) => number;

/** As `scoreRecord`, the masks alone, for many records in one array of totals. */
export function maskReader(methodology: Methodology): MaskReader {
  const { yieldOf, maskOf } = compiled(methodology);
  return (totals, statistics, from, findings, cleared) => {
    const yield_ = yieldOf(totals[from]!, totals[from + 1]!, totals[from + 2]!, totals[from + 3]!);
    return maskOf(totals, statistics, from, !Number.isNaN(yield_), findings, cleared);
  };
}

/** Writes the Yields of a record's windows into `yields` at `at`; NaN where it is unranked. Allocates nothing. */
export function yieldsWriter(methodology: Methodology): YieldsWriter {
  const { yieldOf, maskOf } = compiled(methodology);
  return (totals, statistics, first, findings, cleared, yields, at) => {
    for (let window = 0; window < WINDOWS.length; window++) {
      const from = first + window * WINDOW_NUMBERS;
      const yield_ = yieldOf(totals[from]!, totals[from + 1]!, totals[from + 2]!, totals[from + 3]!);
      const excluded =
        !Number.isNaN(yield_) && (maskOf(totals, statistics, from, true, findings, cleared) & EXCLUDING) !== 0;
      yields[at + window] = excluded ? Number.NaN : yield_;
    }
  };
}

const ALL_TIME = WINDOWS.indexOf('all_time');

/** Whether rules exclude a record from the board of all time. */
export function isExcluded({ totals, assertions }: ScoredRecord, methodology: Methodology): boolean {
  const { findings, cleared } = assertions;
  const mask = maskReader(methodology)(totals, statisticsOf(totals), ALL_TIME * WINDOW_NUMBERS, findings, cleared);
  return (mask & EXCLUDING) !== 0;
}

/** Scores every window (WINDOWS) of a record. */
export function scoreRecord({ totals, assertions }: ScoredRecord, methodology: Methodology): WindowResult[] {
  const { maskOf } = compiled(methodology);
  const statistics = statisticsOf(totals);
  return WINDOWS.map((_, window) => {
    const at = window * WINDOW_NUMBERS;
    const score = scoreOf(countsAt(totals, at), methodology);
    const mask = maskOf(totals, statistics, at, score !== null, assertions.findings, assertions.cleared);
    return { score: (mask & EXCLUDING) === 0 ? score : null, mask };
  });
}

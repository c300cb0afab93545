import { ROW_STATES, type RowState } from '../../contract/row-states.ts';
import { countsAt } from '../../contract/signing/index.ts';
import type { JudgedTotals } from '../../contract/snapshot.ts';
import { WINDOWS } from '../../contract/windows.ts';
import {
  type Assertions,
  type Judge,
  type JudgedWindow,
  judgeUnder,
  type Need,
  PLACE_OF,
  RULE_SETS,
  WINDOW_NUMBERS,
  windowNumber,
} from '../../integrity/index.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import type { WindowSummary } from './operator-state/window-summary.ts';
import { type Score, scoreOf, type YieldOf, yieldUnder } from './score.ts';

/** What an operator's record is scored by. */
export interface ScoredRecord extends Pick<WindowSummary, 'totals'> {
  readonly assertions: Assertions;
}

/** A window of a record under a methodology. */
export interface WindowResult {
  /** Null when the totals cannot be ranked. */
  readonly score: Score | null;
  /** Null without a score. Settled rows are numbered. */
  readonly row: RowState | null;
  /** The rules that the window crosses: see `engine/integrity`. */
  readonly mask: number;
  /** What the Yield needs, and the witnessed days that vouch for it. */
  readonly need: Need;
  readonly vouching: number;
}

interface Compiled {
  readonly yieldOf: YieldOf;
  readonly judge: Judge;
}

const compiledBy = new WeakMap<Methodology, Compiled>();

function compiled(methodology: Methodology): Compiled {
  const known = compiledBy.get(methodology);
  if (known !== undefined) return known;
  const set = methodology.rules === null ? null : RULE_SETS.get(methodology.rules)!;
  const made = { yieldOf: yieldUnder(methodology), judge: judgeUnder(set) };
  compiledBy.set(methodology, made);
  return made;
}

/** The judge of a methodology. */
export const judgeOf = (methodology: Methodology): Judge => compiled(methodology).judge;

/** What tells a window's Yield, NaN without one, and how its row stands, which then means nothing. */
export function rowStateUnder(methodology: Methodology) {
  const { yieldOf, judge } = compiled(methodology);
  return (window: JudgedWindow): { readonly yield_: number; readonly state: RowState } => {
    const { totals, at } = window;
    const yield_ = yieldOf(totals[at]!, totals[at + 1]!, totals[at + 2]!, totals[at + 3]!);
    return { yield_, state: ROW_STATES[judge.stateOf(window, yield_)]! };
  };
}

/** A window's Yield where its row is settled, and NaN otherwise. */
export function settledYieldUnder(methodology: Methodology): (window: JudgedWindow) => number {
  const stateOf = rowStateUnder(methodology);
  return (window) => {
    const { yield_, state } = stateOf(window);
    return state === 'settled' ? yield_ : Number.NaN;
  };
}

/** Scores every window (WINDOWS) of a record. */
export function scoreRecord({ totals, assertions }: ScoredRecord, methodology: Methodology): WindowResult[] {
  const { judge } = compiled(methodology);
  return WINDOWS.map((_, index) => {
    const at = index * WINDOW_NUMBERS;
    const window = { totals, at, ...assertions, waivedAt: 0 };
    const score = scoreOf(countsAt(totals, at), methodology);
    const yield_ = score?.yield_ ?? 0;
    return {
      score,
      row: score && ROW_STATES[judge.stateOf(window, yield_)]!,
      mask: judge.maskOf(window, score?.yield_ ?? Number.NaN),
      need: judge.needOf(yield_, totals[at + PLACE_OF.source]!),
      vouching: windowNumber(totals, index, 'vouching'),
    };
  });
}

/** The all-time totals of a record, and how its row stands; numbered rows and those without a Yield have a rank or none by their totals. */
export function allTimeTotals({ totals, assertions }: ScoredRecord, methodology: Methodology): JudgedTotals {
  const { yieldOf, judge } = compiled(methodology);
  const yield_ = yieldOf(totals[0]!, totals[1]!, totals[2]!, totals[3]!);
  const state = judge.stateOf({ totals, at: 0, ...assertions, waivedAt: 0 }, yield_);
  return { ...countsAt(totals), row: Number.isNaN(yield_) ? null : ROW_STATES[state]! };
}

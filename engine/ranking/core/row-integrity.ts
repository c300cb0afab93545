import type { IntegrityLevel } from '../../contract/integrity-level.ts';
import { WINDOWS } from '../../contract/windows.ts';
import { FLAGGING, rulesIn, statisticAt, statisticsOf } from '../../integrity/index.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import type { ScoredRecord, WindowResult } from './score-record.ts';

/** How far a row can be relied on. */
export interface RowIntegrity {
  readonly integrity: {
    readonly level: IntegrityLevel;
    /** Names of the rules that the window crosses: see `engine/integrity`. */
    readonly flags: string[];
  };
  /** Whether the operator has too few active days for a settled Yield. */
  readonly provisional: boolean;
  /** About 95 % of Yields by the operator's own variation from day to day; null with fewer than two days. */
  readonly yield_range: [low: number, high: number] | null;
}

const ALL_TIME = WINDOWS.indexOf('all_time');

/** A history is `consistent` with this many active days and a standard error of ln Yield of at most this much. */
const CONSISTENT_DAYS = 30;
const CONSISTENT_SPREAD = 0.5;

/** Standard errors on either side of the Yield in its range: about 95 % of a normal distribution. */
const RANGE_ERRORS = 2;

/** The members of each window's row (WINDOWS) that say how far it can be relied on. */
export function rowIntegrity(
  { totals }: ScoredRecord,
  results: readonly WindowResult[],
  methodology: Methodology,
): RowIntegrity[] {
  const statistics = statisticsOf(totals);
  const activeDays = statistics[statisticAt(ALL_TIME, 'activeDays')]!;
  const spread = statistics[statisticAt(ALL_TIME, 'spread')]!;
  const isRegular = activeDays >= CONSISTENT_DAYS && spread >= 0 && spread <= CONSISTENT_SPREAD;
  const isFlagged = results.some(({ mask }) => (mask & FLAGGING) !== 0);
  const level = isRegular && !isFlagged ? 'consistent' : 'self_reported';
  return results.map(({ score, mask }, window) => ({
    integrity: { level, flags: rulesIn(mask).map(({ name }) => name) },
    provisional: activeDays < methodology.minimum_active_days,
    yield_range: rangeOf(score?.yield_ ?? null, statistics[statisticAt(window, 'spread')]!),
  }));
}

function rangeOf(yield_: number | null, spread: number): [number, number] | null {
  if (yield_ === null || spread < 0) return null;
  const factor = Math.exp(RANGE_ERRORS * spread);
  const [low, high] = [yield_ / factor, yield_ * factor];
  return Number.isFinite(high) ? [low, high] : null;
}

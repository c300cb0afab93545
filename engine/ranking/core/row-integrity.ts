import type { IntegrityLevel } from '../../contract/integrity-level.ts';
import { rulesIn, windowNumber } from '../../integrity/index.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import type { WindowSummary } from './operator-state/window-summary.ts';
import type { ScoredRecord, WindowResult } from './score-record.ts';

/** How far a row can be relied on. */
export interface RowIntegrity {
  readonly integrity: {
    readonly level: IntegrityLevel;
    /** Names of the rules that the window crosses: see `engine/integrity`. */
    readonly flags: string[];
  };
  /** Whether the row is numbered although the operator has few witnessed days. */
  readonly provisional: boolean;
  /** Witnessed days of the last 45. */
  readonly witnessed_days: number;
  /** 95 % of long-run Yields, by the operator's own variation from day to day; null with fewer than two days. */
  readonly yield_range: [low: number, high: number] | null;
  /** Whether anybody may read the signed snapshots behind it. */
  readonly open: boolean;
}

/** A record as far as the reliance of its rows needs it. */
export interface WitnessedRecord extends ScoredRecord, Pick<WindowSummary, 'witnessed'>, Pick<RowIntegrity, 'open'> {}

/** A history is `consistent` with so many witnessed days and a standard error of ln Yield of at most this much. */
const CONSISTENT_DAYS = 30;
const CONSISTENT_SPREAD = 0.5;

/** The members of each window's row (WINDOWS) that say how far it can be relied on. */
export function rowIntegrity(
  { totals, witnessed, open }: WitnessedRecord,
  results: readonly WindowResult[],
  methodology: Methodology,
): RowIntegrity[] {
  const spread = windowNumber(totals, 0, 'spread');
  const isRegular = witnessed.ever >= CONSISTENT_DAYS && spread >= 0 && spread <= CONSISTENT_SPREAD;
  const level = isRegular && results.every(({ mask }) => mask === 0) ? 'consistent' : 'self_reported';
  return results.map(({ score, row, mask }, window) => ({
    integrity: { level, flags: publicRules(mask) },
    provisional: row === 'settled' && witnessed.ever < methodology.minimum_witnessed_days,
    witnessed_days: witnessed.recent,
    open,
    yield_range: rangeOf(
      score?.yield_ ?? null,
      windowNumber(totals, window, 'spread'),
      windowNumber(totals, window, 'days'),
    ),
  }));
}

/** The names of what the public sees of the rules in a mask. */
function publicRules(mask: number): string[] {
  return rulesIn(mask).flatMap(({ name, isPrivate }) => (isPrivate === true ? [] : name));
}

/** The 97.5 % quantiles of Student's t distribution, by degrees of freedom from 1 on. */
const T_QUANTILES = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];
const NORMAL_QUANTILE = 1.96;

/** Above the table the quantile is that of the normal distribution, corrected by its first term (Abramowitz and Stegun, 26.7.5). */
function tQuantile(freedom: number): number {
  return T_QUANTILES[freedom - 1] ?? NORMAL_QUANTILE + (NORMAL_QUANTILE ** 3 + NORMAL_QUANTILE) / (4 * freedom);
}

function rangeOf(yield_: number | null, spread: number, days: number): [number, number] | null {
  if (yield_ === null || spread < 0) return null;
  const factor = Math.exp(tQuantile(days - 1) * spread);
  const [low, high] = [yield_ / factor, yield_ * factor];
  return Number.isFinite(high) ? [low, high] : null;
}

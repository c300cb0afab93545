import { WINDOW_NUMBERS } from '../../integrity/index.ts';
import { type BoardKeys, WINDOW_COUNT } from '../core/board/index.ts';
import { platformRecords } from '../core/platform-record.ts';
import { settledYieldUnder } from '../core/score-record.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { recordAt, type TotalsBatch } from '../storage/totals-batch.ts';

const FIRST_ROOM = 1_024;
const NO_PLATFORMS = new Float64Array(0);

/** The numbered rows of one platform, in ascending order of operators. Grows on demand. */
interface Rows {
  /** Adds an operator with its Yields, by window; NaN where it is not numbered. */
  readonly add: (operator: number, yields: Float64Array) => void;
  /** The rows of a window. */
  readonly keys: (window: number) => BoardKeys;
}

function createRows(): Rows {
  let operators = new Uint32Array(FIRST_ROOM);
  let yields = new Float64Array(FIRST_ROOM * WINDOW_COUNT);
  let length = 0;
  return {
    add(operator, own) {
      if (length === operators.length) {
        const [former, formerYields] = [operators, yields];
        operators = new Uint32Array(2 * length);
        yields = new Float64Array(2 * length * WINDOW_COUNT);
        operators.set(former);
        yields.set(formerYields);
      }
      operators[length] = operator;
      yields.set(own, WINDOW_COUNT * length++);
    },
    keys(window) {
      const numbered = operators.subarray(0, length).filter((_, at) => yields[at * WINDOW_COUNT + window]! >= 0);
      const column = new Float64Array(numbered.length);
      let to = 0;
      for (let at = window; at < length * WINDOW_COUNT; at += WINDOW_COUNT) {
        if (yields[at]! >= 0) column[to++] = yields[at]!;
      }
      return { yields: column, operators: numbered };
    },
  };
}

/** Collects the numbered rows of every platform from records that are given in ascending order of operators. */
export function collectPlatforms(methodology: Methodology) {
  const yieldOf = settledYieldUnder(methodology);
  const byPlatform = new Map<string, Rows>();
  const own = new Float64Array(WINDOW_COUNT);
  return {
    byPlatform: byPlatform as ReadonlyMap<string, Rows>,
    add: (batch: TotalsBatch): void => {
      for (const [index, operator] of batch.operators.entries()) {
        if (batch.listed[index] !== 1) continue;
        const platformTotals = batch.platformTotals.get(index) ?? NO_PLATFORMS;
        for (const record of platformRecords({ ...recordAt(batch, index), platformTotals })) {
          if (!writeYields(record, yieldOf, own)) continue;
          const { platform } = record;
          const rows = byPlatform.get(platform) ?? createRows();
          byPlatform.set(platform, rows);
          rows.add(operator, own);
        }
      }
    },
  };
}

/** Writes the Yields of a record; false when it is numbered in no window. */
function writeYields(
  { totals, assertions }: ReturnType<typeof platformRecords>[number],
  yieldOf: ReturnType<typeof settledYieldUnder>,
  yields: Float64Array,
): boolean {
  for (let window = 0; window < WINDOW_COUNT; window++) {
    yields[window] = yieldOf({ totals, at: window * WINDOW_NUMBERS, ...assertions, waivedAt: 0 });
  }
  return !yields.every(Number.isNaN);
}

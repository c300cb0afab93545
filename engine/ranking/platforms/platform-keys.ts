import { WINDOW_NUMBERS } from '../../integrity/index.ts';
import { type BoardKeys, WINDOW_COUNT } from '../core/board/index.ts';
import { platformRecords } from '../core/platform-record.ts';
import { settledYieldUnder } from '../core/score-record.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { recordAt, type TotalsBatch } from '../storage/totals-batch.ts';

const NO_PLATFORMS = new Float64Array(0);

/** The numbered rows of one platform in each window, in ascending order of operators. */
function createRows() {
  return Array.from({ length: WINDOW_COUNT }, () => ({ operators: new Array<number>(), yields: new Array<number>() }));
}

/** Collects the numbered rows of every platform from records that are given in ascending order of operators. */
export function collectPlatforms(methodology: Methodology) {
  const yieldOf = settledYieldUnder(methodology);
  const byPlatform = new Map<string, ReturnType<typeof createRows>>();
  return {
    platforms: (): readonly string[] => [...byPlatform.keys()],
    /** The rows of a platform in a window. */
    keysOf: (platform: string, window: number): BoardKeys => {
      const { operators, yields } = byPlatform.get(platform)![window]!;
      return { yields: Float64Array.from(yields), operators: Uint32Array.from(operators) };
    },
    add: (batch: TotalsBatch): void => {
      for (const [index, operator] of batch.operators.entries()) {
        if (batch.listed[index] !== 1) continue;
        const platformTotals = batch.platformTotals.get(index) ?? NO_PLATFORMS;
        for (const { platform, totals, assertions } of platformRecords({ ...recordAt(batch, index), platformTotals })) {
          for (let window = 0; window < WINDOW_COUNT; window++) {
            const yield_ = yieldOf({ totals, at: window * WINDOW_NUMBERS, ...assertions, waivedAt: 0 });
            if (Number.isNaN(yield_)) continue;
            if (!byPlatform.has(platform)) byPlatform.set(platform, createRows());
            const rows = byPlatform.get(platform)![window]!;
            rows.operators.push(operator);
            rows.yields.push(yield_);
          }
        }
      }
    },
  };
}

import { PLACE_OF, SOURCES, WAIVABLE } from '../../integrity/index.ts';
import { PLATFORM_NUMBERS, TOTALS_NUMBERS } from './operator-state/index.ts';
import type { WindowSummary } from './operator-state/window-summary.ts';
import type { ScoredRecord } from './score-record.ts';

/** A record by its counts of one platform alone. */
export interface PlatformRecord extends ScoredRecord {
  readonly platform: string;
}

const EXTRAORDINARY = WAIVABLE.indexOf('extraordinary-yield');

/**
 * A record on each platform of `SOURCES` with tokens, in their order. What it asserts holds on all of them, except an accepted Yield:
 * that was one of the platform with the most tokens. Shares memory with the record.
 */
export function platformRecords({
  totals,
  platformTotals,
  assertions,
}: ScoredRecord & Pick<WindowSummary, 'platformTotals'>): PlatformRecord[] {
  const main = totals[PLACE_OF.source]!;
  if (platformTotals.length === 0) return main === 0 ? [] : [{ platform: SOURCES[main]!, totals, assertions }];
  const records: PlatformRecord[] = [];
  const elsewhere = { ...assertions, waived: assertions.waived.with(EXTRAORDINARY, 0) };
  for (let at = 0; at < platformTotals.length; at += PLATFORM_NUMBERS) {
    const source = platformTotals[at]!;
    const platform = SOURCES[source];
    // Of a newer release.
    if (platform === undefined) continue;
    const own = platformTotals.subarray(at + 1, at + 1 + TOTALS_NUMBERS);
    records.push({ platform, totals: own, assertions: source === main ? assertions : elsewhere });
  }
  return records;
}

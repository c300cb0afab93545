import type { Tier } from '../../engine/ranking/methodologies/methodology.ts';

export interface NaiveEntry {
  readonly operator: number;
  readonly yield_: number;
  readonly rank: number;
  readonly percentile: number;
  readonly class_tier: string;
}

/** One window of a naive board. */
export interface NaiveWindow {
  /** Ranked operators, in board order. */
  readonly entries: readonly NaiveEntry[];
  /** Number of ranked operators. */
  readonly total: number;
  readonly byOperator: ReadonlyMap<number, NaiveEntry>;
}

/**
 * The reference model of boards: it sorts everything in memory, directly from the definitions, and shares no code with the
 * engine. `yields` has a Yield per window for each sequence number, null = unranked; returns one board per window, in the
 * same order.
 */
export function naiveBoard(
  yields: ReadonlyMap<number, ReadonlyArray<number | null>>,
  windowCount: number,
  tiers: readonly Tier[],
): NaiveWindow[] {
  return Array.from({ length: windowCount }, (_, window) => naiveWindow(yields, window, tiers));
}

/** The rank of a Yield, which need not be on the board: 1 + the number of entries with a strictly greater one. */
export function naiveRank(board: NaiveWindow, y: number, without?: number): number {
  return 1 + board.entries.filter((entry) => entry.operator !== without && entry.yield_ > y).length;
}

function naiveWindow(
  yields: ReadonlyMap<number, ReadonlyArray<number | null>>,
  window: number,
  tiers: readonly Tier[],
): NaiveWindow {
  const ranked: Array<{ operator: number; yield_: number }> = [];
  for (const [operator, ofWindows] of yields) {
    const yield_ = ofWindows[window];
    if (yield_ !== null && yield_ !== undefined) ranked.push({ operator, yield_ });
  }
  ranked.sort((a, b) => (a.yield_ === b.yield_ ? a.operator - b.operator : a.yield_ < b.yield_ ? 1 : -1));

  const total = ranked.length;
  const firstPositions = new Map<number, number>();
  for (const [position, { yield_ }] of ranked.entries()) {
    if (!firstPositions.has(yield_)) firstPositions.set(yield_, position);
  }
  const entries = ranked.map(({ operator, yield_ }) => {
    const greater = firstPositions.get(yield_)!;
    const atOrBelow = total - greater;
    return {
      operator,
      yield_,
      rank: greater + 1,
      percentile: percentOf(atOrBelow, total),
      class_tier: tiers.findLast((tier) => yield_ >= tier.from)!.name,
    };
  });
  return { entries, total, byOperator: new Map(entries.map((entry) => [entry.operator, entry])) };
}

/** `part` of `whole` in per cent, rounded half up to two decimals with integers, free of floating-point error. */
function percentOf(part: number, whole: number): number {
  const hundredths = (20_000n * BigInt(part) + BigInt(whole)) / (2n * BigInt(whole));
  return Number(hundredths) / 100;
}

import { PLACE_OF, type Quantiles, RULE_SETS, SOURCES } from '../../integrity/index.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { yieldUnder } from '../core/score.ts';
import { settledYieldUnder } from '../core/score-record.ts';
import type { Methodology } from '../methodologies/methodology.ts';

/** Witnessed days of the rows that a reference is measured of. */
export const MEASURED_DAYS = 14;
/** Records per read. */
const PAGE = 2_000;

/**
 * Measures the quantiles of Yield, by the platform with most tokens (null: all together), in one pass over all records, beside those of
 * the board's reference: of settled rows with `MEASURED_DAYS`, or of `all` above the floors. Null without a board.
 */
export async function measureReference(
  context: RankingContext,
  { methodology, all }: { readonly methodology: Methodology | undefined; readonly all: boolean },
) {
  const manifest = await context.stores.board.read();
  if (manifest === null) return null;
  const active = methodologyOf(context, manifest);
  const judged = methodology ?? active;
  const yields = await yieldsBySource(context, judged, all);
  const { id = null, reference = null } = (active.rules === null ? undefined : RULE_SETS.get(active.rules)) ?? {};
  const platforms = SOURCES.map((platform, source) =>
    measuredOf(platform, yields[source]!, reference?.platforms[platform] ?? null),
  );
  const shown = platforms.slice(1).filter(({ measured, reference: own }) => measured !== null || own !== null);
  const rows = [measuredOf(null, yields.flat(), reference?.all ?? null), ...shown];
  return { board_version: manifest.version, methodology: judged.id, rule_set: id, rows };
}

/** The Yields of the rows to be measured, by the place of their platform in SOURCES. */
async function yieldsBySource({ stores }: RankingContext, methodology: Methodology, all: boolean): Promise<number[][]> {
  const yields: number[][] = SOURCES.map(() => []);
  const settled = settledYieldUnder(methodology);
  const yieldOf = yieldUnder(methodology);
  for await (const page of stores.operators.allSummaries(PAGE)) {
    for (const { listed, totals, witnessed, assertions } of page) {
      if (!listed || (!all && witnessed.ever < MEASURED_DAYS)) continue;
      const yield_ = all
        ? yieldOf(totals[0]!, totals[1]!, totals[2]!, totals[3]!)
        : settled({ totals, at: 0, ...assertions, waivedAt: 0 });
      if (!Number.isNaN(yield_)) yields[totals[PLACE_OF.source]!]!.push(yield_);
    }
  }
  return yields;
}

/** Null: without rows there are no quantiles, or the reference has none. */
function measuredOf(platform: string | null, yields: readonly number[], own: Quantiles | null) {
  const sorted = Float64Array.from(yields).toSorted();
  return { platform, rows: sorted.length, measured: quantilesOf(sorted), reference: own };
}

export type MeasuredQuantiles = ReturnType<typeof measuredOf>;

/** By nearest rank: the least value that at least the share of all does not exceed. */
function quantilesOf(sorted: Float64Array): Quantiles | null {
  if (sorted.length === 0) return null;
  const at = (percent: number): number => sorted[Math.ceil((percent * sorted.length) / 100) - 1]!;
  return { p75: at(75), p90: at(90), p99: at(99) };
}

import { UNSPECIFIED_PLATFORM } from '../../contract/signing/index.ts';
import { type Missing, publicMissingIn } from '../../contract/unranked.ts';
import { byWindow } from '../../contract/windows.ts';
import { statisticAt, statisticsOf } from '../../integrity/index.ts';
import { entriesOf, UNRANKED } from '../core/entry.ts';
import { mergeProvenance, type Provenance, versionText } from '../core/operator-state/index.ts';
import { cascadeString, percentileOf, unrankedReason } from '../core/score.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { decodeProvenance } from '../storage/operator-codec.ts';
import type { OperatorSummary } from '../storage/operators.ts';
import type { Profile, WindowScore } from '../types.ts';
import { rankOfYield, totalWith } from './board-ranks.ts';
import type { BoardState } from './board-state.ts';
import { type Movements, movementSince } from './movement.ts';
import type { PageCache } from './page-cache.ts';
import { countsOf } from './window-scores.ts';

/** What the operator's tools state about the counts of all streams together. */
function shownProvenance({ provenance }: OperatorSummary): Profile['provenance'] {
  const stated = decodeProvenance(provenance).map((of) => of.provenance);
  const merged = stated.reduce<Provenance | null>(mergeProvenance, null);
  return merged && { counting: merged.counting, tool_version: versionText(merged.version) };
}

/** The days with growth that a provisional row lacks. */
function missingDays({ totals }: OperatorSummary, { minimum_active_days: needs }: Methodology): Missing[] {
  const has = statisticsOf(totals)[statisticAt(0, 'activeDays')]!;
  return has < needs ? [{ of: 'active_days', needs, has }] : [];
}

/** Ranks an operator's current record on a board version. Reads few pages, through the cache. */
export async function profileOn(
  pages: PageCache,
  movements: Movements,
  state: BoardState,
  methodology: Methodology,
  summary: OperatorSummary,
): Promise<Profile> {
  const windows = entriesOf(summary, methodology);
  const ranking = Promise.all(
    windows.map(async ({ entry }, window) =>
      entry === null ? null : rankOfYield(pages, state, { operator: summary.operator, window, yield_: entry.yield_ }),
    ),
  );
  const [ranks, totals, movement] = await Promise.all([
    ranking,
    Promise.all(windows.map((_, window) => totalWith(pages, state, summary.operator, window))),
    movements.of(state.manifest, summary.operator, ranking),
  ]);
  const standings = windows.map(({ entry, reliance }, window): WindowScore => {
    const rank = ranks[window] ?? null;
    const counts = countsOf(summary.totals, window);
    const missing = [...publicMissingIn(counts, methodology.eligibility), ...missingDays(summary, methodology)];
    if (entry === null || rank === null) {
      return { ...UNRANKED, ...reliance, unranked: unrankedReason(counts, methodology) ?? 'excluded', missing };
    }
    const { codename: _, display_name: _name, platform: _platform, ...score } = entry;
    const place = { rank, percentile: percentileOf(rank, totals[window]!), ...movement[window]! };
    return { ...score, ...place, unranked: null, missing };
  });
  return {
    board_version: state.manifest.version,
    methodology: methodology.id,
    codename: summary.codename,
    display_name: summary.displayName,
    platform: summary.platforms[0] ?? UNSPECIFIED_PLATFORM,
    ...standings[0]!,
    ...movementSince(state.manifest),
    cascade_str: cascadeString(windows[0]!.entry),
    provenance: shownProvenance(summary),
    windows: byWindow((window) => standings[window]!),
  };
}

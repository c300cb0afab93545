import { UNSPECIFIED_PLATFORM } from '../../contract/signing/index.ts';
import { type Missing, publicMissingIn } from '../../contract/unranked.ts';
import { byWindow } from '../../contract/windows.ts';
import { waiverOf } from '../../integrity/index.ts';
import { methodologyOf } from '../context.ts';
import { entriesOf, UNRANKED } from '../core/entry.ts';
import { mergeProvenance, type Provenance, versionText } from '../core/operator-state/index.ts';
import { cascadeString, percentileOf, unrankedReason } from '../core/score.ts';
import type { WindowResult } from '../core/score-record.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { decodeProvenance } from '../storage/operator-codec.ts';
import type { OperatorSummary } from '../storage/operators.ts';
import type { Profile, WindowScore } from '../types.ts';
import { rankOfYield, totalWith } from './board-ranks.ts';
import type { BoardState } from './board-state.ts';
import { movementSince, movementsOf } from './movement.ts';
import { platformStandings } from './platform-board.ts';
import type { ViewParts } from './view-parts.ts';
import { countsOf } from './window-scores.ts';

/** What the operator's tools state about the counts of all streams together. */
function shownProvenance({ provenance }: OperatorSummary): Profile['provenance'] {
  const stated = decodeProvenance(provenance).map((of) => of.provenance);
  const merged = stated.reduce<Provenance | null>(mergeProvenance, null);
  return merged && { counting: merged.counting, tool_version: versionText(merged.version) };
}

/** What a row lacks of the methodology: to be numbered, or not to be provisional any more. */
export function missingOf(
  { witnessed: { ever }, assertions }: OperatorSummary,
  { row, need, vouching, score }: WindowResult,
  { minimum_witnessed_days: least }: Methodology,
): Missing[] {
  if (row === 'settled') return ever < least ? [{ of: 'witnessed_days', needs: least, has: ever }] : [];
  if (row !== 'held') return [];
  const days: Missing[] = vouching < need.days ? [{ of: 'vouching_days', needs: need.days, has: vouching }] : [];
  const isAccepted = !need.acceptance || score!.yield_ <= assertions.waived[waiverOf('extraordinary-yield')]!;
  return isAccepted ? days : [...days, { of: 'acceptance', needs: 1, has: 0 }];
}

/** Ranks an operator's current record on a board version. Reads few pages, through the cache. */
export async function profileOn(parts: ViewParts, state: BoardState, summary: OperatorSummary): Promise<Profile> {
  const { context, pages } = parts;
  const methodology = methodologyOf(context, state.manifest);
  const windows = entriesOf(summary, methodology);
  const ranking = Promise.all(
    windows.map(async ({ entry, held }, window) => {
      const yield_ = (entry ?? held)?.yield_;
      return yield_ === undefined ? null : rankOfYield(pages, state, { operator: summary.operator, window, yield_ });
    }),
  );
  const [ranks, totals, movement, platforms] = await Promise.all([
    ranking,
    Promise.all(windows.map((_, window) => totalWith(pages, state, summary.operator, window))),
    movementsOf(
      parts,
      state.manifest,
      summary.operator,
      ranking.then((all) => all.map((rank, window) => (windows[window]!.entry === null ? null : rank))),
    ),
    platformStandings(parts, state, summary),
  ]);
  const standings = windows.map(({ entry, held, result, reliance }, window): WindowScore => {
    const rank = ranks[window] ?? null;
    const counts = countsOf(summary.totals, window);
    const missing = [...publicMissingIn(counts, methodology.eligibility), ...missingOf(summary, result, methodology)];
    const shown = entry ?? held;
    if (shown === null || rank === null) {
      const unranked = unrankedReason(counts, methodology) ?? 'excluded';
      return { ...UNRANKED, ...reliance, unranked, would_be: null, missing };
    }
    const { codename: _, display_name: _name, platform: _platform, ...score } = shown;
    if (entry === null) return { ...UNRANKED, ...score, unranked: 'held', would_be: rank, missing };
    const place = { rank, percentile: percentileOf(rank, totals[window]!), ...movement[window]! };
    return { ...score, ...place, unranked: null, would_be: null, missing };
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
    platforms,
  };
}

import { isDeepStrictEqual } from 'node:util';
import { WINDOWS } from '../../contract/windows.ts';
import type { RankingContext } from '../context.ts';
import { makeSegment } from '../core/board/index.ts';
import { methodologyOf } from '../methodology-of.ts';
import type { TopEntryDocument } from '../mongo/documents.ts';
import { planTops } from '../publish/plan-tops.ts';
import { createPublishedBoardSource } from '../publish/published-board.ts';
import type { BoardState } from '../read/board-state.ts';
import type { Finding } from './findings.ts';

/** Compares the finished first entries of a whole board with what the records give. Movements tell of other boards. */
export async function verifyTops(
  context: RankingContext,
  state: BoardState,
  tops: readonly TopEntryDocument[][],
): Promise<readonly Finding[]> {
  const plan = await planTops(context.stores.operators, createPublishedBoardSource(context), {
    next: state,
    methodology: methodologyOf(context, state.root),
    former: [],
    moved: new Set(),
    known: new Map(),
    segment: makeSegment([]),
    anew: true,
  });
  // Somebody moved meanwhile: the next commit makes other tops.
  if (plan.stale.length > 0) return [];
  return WINDOWS.flatMap((name, window): Finding[] => {
    const [stored, made] = [facts(tops[window]), facts(plan.windows[window])];
    const first = made.findIndex((entry, index) => !isDeepStrictEqual(entry, stored[index]));
    const place = first >= 0 ? first + 1 : stored.length > made.length ? made.length + 1 : 0;
    if (place === 0) return [];
    return [{ part: 'tops', name: state.root.tops, problem: `its entry ${place} of ${name} differs from the records` }];
  });
}

function facts(entries: readonly TopEntryDocument[] = []) {
  return entries.map(({ movement_24h: _day, movement_7d: _week, ...entry }) => entry);
}

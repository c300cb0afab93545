import { isDeepStrictEqual } from 'node:util';
import { WINDOWS } from '../../contract/windows.ts';
import { planTopEntries } from '../board/plan-top-entries.ts';
import { createPublishedBoardSource } from '../board/published-board.ts';
import type { RankingContext } from '../context.ts';
import { makeSegment } from '../core/board/index.ts';
import { methodologyOf } from '../methodology-of.ts';
import type { BoardState } from '../read/board-state.ts';
import type { TopEntryDocument } from '../storage/documents.ts';
import type { Finding } from './findings.ts';

/** Compares the finished first entries of a whole board with what the records give. Movements tell of other boards. */
export async function verifyTopEntries(
  context: RankingContext,
  state: BoardState,
  topEntries: readonly TopEntryDocument[][],
): Promise<readonly Finding[]> {
  const plan = await planTopEntries(context.stores.operators, createPublishedBoardSource(context), {
    next: state,
    methodology: methodologyOf(context, state.manifest),
    former: [],
    dirty: new Set(),
    known: new Map(),
    segment: makeSegment([]),
    rebuildAll: true,
  });
  // Somebody moved meanwhile: the next commit makes other tops.
  if (plan.stale.length > 0) return [];
  return WINDOWS.flatMap((name, window): Finding[] => {
    const [stored, made] = [facts(topEntries[window]), facts(plan.windows[window])];
    const first = made.findIndex((entry, index) => !isDeepStrictEqual(entry, stored[index]));
    const place = first >= 0 ? first + 1 : stored.length > made.length ? made.length + 1 : 0;
    if (place === 0) return [];
    return [
      {
        part: 'topEntries',
        name: state.manifest.topEntries,
        problem: `its entry ${place} of ${name} differs from the records`,
      },
    ];
  });
}

function facts(entries: readonly TopEntryDocument[] = []) {
  return entries.map(({ movement_24h: _day, movement_7d: _week, ...entry }) => entry);
}

import { isDeepStrictEqual } from 'node:util';
import { WINDOWS } from '../../contract/windows.ts';
import { planAllTopEntries } from '../board/plan-top-entries.ts';
import { createPublishedBoardSource } from '../board/published-board.ts';
import type { RankingContext } from '../context.ts';
import { methodologyOf } from '../methodology-of.ts';
import type { BoardState } from '../read/board-state.ts';
import type { TopEntryDocument } from '../storage/board-parts.ts';
import type { Finding } from './findings.ts';

/**
 * Compares the stored top entries of an intact board with those computed from the records. Movements are not compared: they
 * depend on other boards.
 */
export async function verifyTopEntries(
  context: RankingContext,
  state: BoardState,
  topEntries: readonly TopEntryDocument[][],
): Promise<readonly Finding[]> {
  const plan = await planAllTopEntries(
    context,
    createPublishedBoardSource(context),
    state,
    methodologyOf(context, state.manifest),
  );
  // An operator changed meanwhile: the next commit writes other top entries.
  if (plan.stale.length > 0) return [];
  return WINDOWS.flatMap((name, window): Finding[] => {
    const [stored, expected] = [facts(topEntries[window]), facts(plan.windows[window])];
    const first = expected.findIndex((entry, index) => !isDeepStrictEqual(entry, stored[index]));
    const place = first >= 0 ? first + 1 : stored.length > expected.length ? expected.length + 1 : 0;
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

import { WINDOWS } from '../../contract/windows.ts';
import type { RankingContext } from '../context.ts';
import { buildBaseRun } from '../core/board/index.ts';
import { hourOf } from '../core/operator-state/index.ts';
import { FIRST_METHODOLOGY } from '../methodologies/index.ts';
import { randomId } from '../storage/unique-id.ts';

/** Publishes an empty board under a methodology if there is no board yet. Safe to call from several processes concurrently. */
export async function createFirstBoard(
  { stores, clock }: RankingContext,
  methodology: number = FIRST_METHODOLOGY,
): Promise<void> {
  if ((await stores.board.generation()) !== null) return;
  const now = new Date(clock());
  const hour = hourOf(clock());
  const base = `first-${randomId()}`;
  const topEntries = `first-${randomId()}`;
  const built = buildBaseRun(new Float64Array(0));
  await stores.parts.writeBaseRun(base, built, { version: 0, lastSegment: base, hour, methodology, created_at: now });
  await stores.parts.writeTopEntries(
    topEntries,
    WINDOWS.map(() => []),
    now,
  );
  await stores.board.create({
    _id: 'manifest',
    version: 1,
    generation: randomId(),
    methodology,
    hour,
    base,
    segments: [],
    topEntries,
    totals: WINDOWS.map(() => 0),
    history: [{ base, hour, methodology }],
    commits: 0,
    garbageCollections: 0,
    generated_at: now,
  });
}

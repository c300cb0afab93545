import { WINDOWS } from '../../contract/windows.ts';
import type { RankingContext } from '../context.ts';
import { buildBase } from '../core/board/index.ts';
import { hourOf } from '../core/standing/index.ts';
import { randomName } from '../mongo/unique-id.ts';

/** Publishes an empty board under `methodology` if there is no board yet. Safe to call from several processes at once. */
export async function createFirstBoard({ stores, clock }: RankingContext, methodology: number): Promise<void> {
  if ((await stores.board.stamp()) !== null) return;
  const now = new Date(clock());
  const hour = hourOf(clock());
  const base = `first-${randomName()}`;
  const tops = `first-${randomName()}`;
  const built = buildBase(new Float64Array(0));
  await stores.parts.writeBase(base, built, { version: 0, tip: base, hour, methodology, created_at: now });
  await stores.parts.writeTops(
    tops,
    WINDOWS.map(() => []),
    now,
  );
  await stores.board.create({
    _id: 'root',
    version: 1,
    stamp: randomName(),
    methodology,
    hour,
    base,
    segments: [],
    tops,
    totals: WINDOWS.map(() => 0),
    history: [{ base, hour, methodology }],
    sweeps: 0,
    generated_at: now,
  });
}

import { WINDOWS } from '../../contract/windows.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { buildBaseRun, emptyDelta } from '../core/board/index.ts';
import { type BoardState, rankedIn } from '../read/board-state.ts';
import { firstOfTries } from '../read/page-cache.ts';
import { randomId } from '../storage/unique-id.ts';
import { planAllTopEntries } from './plan-top-entries.ts';
import { createPublishedBoardSource } from './published-board.ts';
import { scoreAllOperators, storeAllHeld } from './score-operators.ts';

/**
 * Scores every operator's record into a new base run and publishes it: after an import of operators, or to repair a board.
 * Run it while few commits happen; returns false when commits or changed records invalidated every attempt. Dirty sets stay, so the next
 * commit includes concurrent changes. It ends the option to roll back a change of the methodology, because the former
 * board lacks the changes found here. Throws while a re-rank is running.
 */
export async function rebuildBoard(context: RankingContext): Promise<boolean> {
  return (await firstOfTries(async () => (await attempt(context)) || null)) !== null;
}

async function attempt(context: RankingContext): Promise<boolean> {
  const { stores, clock, report } = context;
  const started = performance.now();
  const manifest = await stores.board.read();
  if (manifest === null) throw new Error('there is no board yet: create the first one');
  if ((manifest.rerank ?? null) !== null) throw new Error('a re-rank is running: cancel it first');
  const built = buildBaseRun(await scoreAllOperators(stores.operators, methodologyOf(context, manifest)));
  await storeAllHeld(stores, methodologyOf(context, manifest));
  const now = new Date(clock());
  const version = manifest.version + 1;
  const id = `${version}-${randomId()}`;
  const { hour, methodology } = manifest;
  await stores.parts.writeBaseRun(id, built, { version, lastSegment: id, hour, methodology, created_at: now });
  await stores.parts.writePages(id, built);
  const base = { id, version, lastSegment: id, hour, methodology, slots: built.slots, directories: built.directories };
  const next: BoardState = { manifest: { ...manifest, base: id, segments: [] }, base, delta: emptyDelta };
  const topEntries = await planAllTopEntries(
    context,
    createPublishedBoardSource(context),
    next,
    methodologyOf(context, manifest),
  );
  if (topEntries.stale.length > 0) return false;
  await stores.parts.writeTopEntries(id, topEntries.windows, now);
  const totals = WINDOWS.map((_, window) => rankedIn(next, window));
  const published = await stores.board.advance(manifest, {
    base: id,
    segments: [],
    topEntries: id,
    totals,
    commits: manifest.commits + 1,
    former: null,
    generated_at: now,
  });
  if (published === null) return false;
  report.compacted?.({ seconds: (performance.now() - started) / 1_000, operators: built.slots, hour });
  return true;
}

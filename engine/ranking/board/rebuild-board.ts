import { WINDOWS } from '../../contract/windows.ts';
import type { RankingContext } from '../context.ts';
import { buildBaseRun, emptyDelta, makeSegment, WINDOW_COUNT, YieldTable } from '../core/board/index.ts';
import { methodologyOf } from '../methodology-of.ts';
import { type BoardState, rankedIn } from '../read/board-state.ts';
import { windowScores } from '../read/window-scores.ts';
import type { ManifestDocument } from '../storage/documents.ts';
import { randomId } from '../storage/unique-id.ts';
import { planTopEntries } from './plan-top-entries.ts';
import { createPublishedBoardSource } from './published-board.ts';

/** Builds started before giving up: each was overtaken by a commit, or by a record that moved meanwhile. */
const MAX_TRIES = 5;
/** Records read by one command. */
const RECORDS_A_READ = 5_000;

/**
 * Scores every operator's record anew into a base and publishes it: after operators were imported, or when a board is
 * doubted. For times at which little is committed; false when commits were faster every time. Change lists stay, so what
 * moves meanwhile is in the next commit. A change of the methodology cannot be rolled back after it: the former board does
 * not have what is found here. Throws while such a change is under way.
 */
export async function rebuildBoard(context: RankingContext): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (await attempt(context)) return true;
  }
  return false;
}

async function attempt(context: RankingContext): Promise<boolean> {
  const { stores, clock, report } = context;
  const started = performance.now();
  const manifest = await stores.board.read();
  if (manifest === null) throw new Error('there is no board yet: create the first one');
  if ((manifest.rerank ?? null) !== null) throw new Error('the methodology is being changed: cancel that first');
  const built = buildBaseRun(await scoreEverybody(context, manifest));
  const now = new Date(clock());
  const version = manifest.version + 1;
  const id = `${version}-${randomId()}`;
  const { hour, methodology } = manifest;
  await stores.parts.writeBaseRun(id, built, { version, lastSegment: id, hour, methodology, created_at: now });
  await stores.parts.writePages(id, built);
  const base = { id, version, lastSegment: id, hour, methodology, slots: built.slots, directories: built.directories };
  const next: BoardState = { manifest: { ...manifest, base: id, segments: [] }, base, delta: emptyDelta };
  const topEntries = await planTopEntries(stores.operators, createPublishedBoardSource(context), {
    next,
    methodology: methodologyOf(context, manifest),
    former: [],
    moved: new Set(),
    known: new Map(),
    segment: makeSegment([]),
    anew: true,
  });
  if (topEntries.stale.length > 0) return false;
  await stores.parts.writeTopEntries(id, topEntries.windows, now);
  const totals = WINDOWS.map((_, window) => rankedIn(next, window));
  const published = await stores.board.advance(manifest, {
    base: id,
    segments: [],
    topEntries: id,
    totals,
    former: null,
    generated_at: now,
  });
  if (published === null) return false;
  report.compacted({ seconds: (performance.now() - started) / 1_000, operators: built.slots, hour });
  return true;
}

/** The Yields of all records under the root's methodology, as `buildBaseRun` takes them. */
async function scoreEverybody(context: RankingContext, manifest: ManifestDocument): Promise<Float64Array> {
  const methodology = methodologyOf(context, manifest);
  const table = new YieldTable(new Float64Array(0));
  for (let from = 0; ; ) {
    const summaries = await context.stores.operators.from(from, RECORDS_A_READ);
    const last = summaries.at(-1);
    if (last === undefined) return table.toArray();
    const before = new Float64Array(WINDOW_COUNT).fill(Number.NaN);
    const changes = summaries.map(({ operator, listed, totals }) => {
      const after = windowScores(totals, methodology).map((score) => (listed && score ? score.yield_ : Number.NaN));
      return { operator, before, after };
    });
    table.apply(makeSegment(changes));
    from = last.operator + 1;
  }
}

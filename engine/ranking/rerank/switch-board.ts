import { DAY_MS } from '../../../config/units.ts';
import { WINDOWS } from '../../contract/windows.ts';
import { partsOf } from '../board/merge-segments.ts';
import { planAllTopEntries } from '../board/plan-top-entries.ts';
import { createPublishedBoardSource, type PublishedBoardSource } from '../board/published-board.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { applySegment, emptyDelta, makeSegment, mergeSegments, type Segment } from '../core/board/index.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { type BoardState, rankedIn } from '../read/board-state.ts';
import type { BaseRunHeader } from '../storage/base-runs.ts';
import type { ManifestDocument, SegmentReference } from '../storage/board-manifest.ts';
import type { RerankRunDocument } from '../storage/reranks.ts';
import { randomId } from '../storage/unique-id.ts';
import type { CatchUp } from './catch-up.ts';

/** How long after a switch it can be rolled back. */
const ROLLBACK_MS = 7 * DAY_MS;
/** How long both boards of a switch are kept: as long as daily boards. */
const KEPT_SWITCHES_MS = 100 * DAY_MS;

/**
 * Publishes a run's base run as the board of all windows, with the changes since its table was loaded, by one
 * compare-and-set. Commits continue until that write; when one wins the race, its changes are applied first. Returns the
 * version; null when the run is no longer current or has another base run.
 */
export async function switchBoard(
  context: RankingContext,
  run: RerankRunDocument,
  base: BaseRunHeader,
  catching: CatchUp,
): Promise<number | null> {
  const { stores } = context;
  const methodology = methodologyOf(context, run);
  const source = createPublishedBoardSource(context);
  let caughtUp = makeSegment([]);
  let stale: readonly number[] = [];
  for (;;) {
    // Read the manifest first: the catch-up log then has the changes of its version.
    const manifest = await stores.board.read();
    if (manifest?.rerank?.run !== run._id || manifest.rerank.base !== base.id) return null;
    caughtUp = mergeSegments(caughtUp, await catching.next(stale));
    const next = { run: run._id, methodology, base, delta: emptyDelta, segments: [], caughtUp };
    const attempt = await publishSwitch(context, source, manifest, next);
    if (attempt.published !== null) return attempt.published.version;
    stale = attempt.stale;
  }
}

/** The board that replaces the current one. */
interface NextBoard extends Pick<BoardState, 'base' | 'delta'> {
  /** The run that built it; null for a rollback. */
  readonly run: string | null;
  readonly methodology: Methodology;
  /** The written segments, which are in the delta. */
  readonly segments: readonly SegmentReference[];
  /** Changes that are not written yet. */
  readonly caughtUp: Segment;
}

/** `published` is null when another version came first, or changed records of `stale` operators must be caught up with. */
export async function publishSwitch(
  context: RankingContext,
  source: PublishedBoardSource,
  manifest: ManifestDocument,
  { run, methodology, base, delta, segments, caughtUp }: NextBoard,
): Promise<{ readonly published: ManifestDocument | null; readonly stale: readonly number[] }> {
  const { stores, clock, failpoint } = context;
  const state = {
    manifest: { ...manifest, base: base.id, segments: [...segments] },
    base,
    delta: applySegment(delta, caughtUp),
  };
  const { stale, windows } = await planAllTopEntries(context, source, state, methodology);
  if (stale.length > 0) return { published: null, stale };
  const written = [...segments, ...(await writeCaughtUp(context, manifest, caughtUp))];
  if (run !== null) await failpoint('rerank.segment_written');
  const at = new Date(clock());
  const topEntries = `switch-${manifest.version + 1}-${randomId()}`;
  await stores.parts.writeTopEntries(topEntries, windows, at);
  await failpoint(run === null ? 'rollback.top_entries_written' : 'rerank.top_entries_written');
  const from = { methodology: manifest.methodology, base: manifest.base, segments: manifest.segments };
  const to = { methodology: methodology.id, base: base.id, segments: written };
  const kept = (manifest.switches ?? []).filter((one) => at.getTime() - one.at.getTime() < KEPT_SWITCHES_MS);
  const published = await stores.board.advance(manifest, {
    ...to,
    topEntries,
    totals: WINDOWS.map((_, window) => rankedIn(state, window)),
    commits: manifest.commits + 1,
    generated_at: at,
    rerank: null,
    switches: [...kept, { at, version: manifest.version + 1, run, from, to }],
    former: run === null ? null : { version: manifest.version, until: new Date(at.getTime() + ROLLBACK_MS) },
  });
  return { published, stale };
}

/** Writes the caught-up changes as segments of the version after the manifest's. */
async function writeCaughtUp(
  { stores, clock }: RankingContext,
  { version }: ManifestDocument,
  caughtUp: Segment,
): Promise<SegmentReference[]> {
  const parts = [...partsOf(caughtUp)];
  const ids = parts.map(() => `switch-${version + 1}-${randomId()}`);
  const lastSegment = ids.at(-1) ?? '';
  for (const [index, part] of parts.entries()) {
    await stores.parts.writeSegment(ids[index]!, part, new Date(clock()));
  }
  return ids.map((id) => ({ id, from: version + 1, to: version + 1, lastSegment }));
}

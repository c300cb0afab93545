import { planAllTopEntries } from '../board/plan-top-entries.ts';
import { createPublishedBoardSource } from '../board/published-board.ts';
import type { RankingContext } from '../context.ts';
import { applySegment, emptyDelta, makeSegment, mergeSegments } from '../core/board/index.ts';
import { methodologyOf } from '../methodology-of.ts';
import type { BaseRunHeader } from '../storage/base-runs.ts';
import type { RerankRunDocument } from '../storage/reranks.ts';
import { randomId } from '../storage/unique-id.ts';
import type { CatchUp } from './catch-up.ts';
import { switchOf, writeCaughtUp } from './write-switch.ts';

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
  const { stores, clock, failpoint } = context;
  const methodology = methodologyOf(context, run);
  const source = createPublishedBoardSource(context);
  let caughtUp = makeSegment([]);
  let stale: readonly number[] = [];
  for (;;) {
    // Read the manifest first: the catch-up log then has the changes of its version.
    const manifest = await stores.board.read();
    if (manifest?.rerank?.run !== run._id || manifest.rerank.base !== base.id) return null;
    caughtUp = mergeSegments(caughtUp, await catching.next(stale));
    const delta = applySegment(emptyDelta, caughtUp);
    const state = { manifest: { ...manifest, base: base.id, segments: [] }, base, delta };
    const next = { methodology, state, caughtUp };
    const topEntries = await planAllTopEntries(context, source, state, next.methodology);
    stale = topEntries.stale;
    if (stale.length > 0) continue;
    const segments = await writeCaughtUp(context, manifest, caughtUp);
    await failpoint('rerank.segment_written');
    const at = new Date(clock());
    const id = `switch-${manifest.version + 1}-${randomId()}`;
    await stores.parts.writeTopEntries(id, topEntries.windows, at);
    await failpoint('rerank.top_entries_written');
    const switched = switchOf(manifest, next, segments, { topEntries: id, run: run._id, at });
    const published = await stores.board.advance(manifest, switched);
    if (published !== null) return published.version;
  }
}

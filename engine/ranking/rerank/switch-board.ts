import type { RankingContext } from '../context.ts';
import { applySegment, emptyOverlay, makeSegment, mergeSegments } from '../core/board/index.ts';
import { methodologyOf } from '../methodology-of.ts';
import type { BaseHeader } from '../mongo/board-bases.ts';
import type { RerankRunDocument } from '../mongo/rerank-documents.ts';
import { randomName } from '../mongo/unique-id.ts';
import { createPublishedBoardSource } from '../publish/published-board.ts';
import type { CatchUp } from './catch-up.ts';
import { planNextTops, switchOf, writeCaughtUp } from './write-switch.ts';

/**
 * Publishes a run's base as the board of all windows, with whatever changed since its table was written, by one
 * compare-and-set. Commits go on until that very write: when one was faster, what it took is caught up with first. Answers
 * the version; null when the run is no longer under way or works on another base.
 */
export async function switchBoard(
  context: RankingContext,
  run: RerankRunDocument,
  base: BaseHeader,
  catching: CatchUp,
): Promise<number | null> {
  const { stores, clock, reach } = context;
  const methodology = methodologyOf(context, run);
  const source = createPublishedBoardSource(context);
  let caughtUp = makeSegment([]);
  let stale: readonly number[] = [];
  for (;;) {
    // The root first: what its version took from change lists is on the trail by then.
    const root = await stores.board.read();
    if (root?.rerank?.run !== run._id || root.rerank.base !== base.id) return null;
    caughtUp = mergeSegments(caughtUp, await catching.next(stale));
    const overlay = applySegment(emptyOverlay, caughtUp);
    const state = { root: { ...root, base: base.id, segments: [] }, base, overlay };
    const next = { methodology, state, caughtUp };
    const tops = await planNextTops(context, source, next);
    stale = tops.stale;
    if (stale.length > 0) continue;
    const segments = await writeCaughtUp(context, root, caughtUp);
    await reach('rerank.segment_written');
    const at = new Date(clock());
    const id = `switch-${root.version + 1}-${randomName()}`;
    await stores.parts.writeTops(id, tops.windows, at);
    await reach('rerank.tops_written');
    const switched = switchOf(root, next, segments, { tops: id, run: run._id, at });
    const published = await stores.board.advance(root, switched);
    if (published !== null) return published.version;
  }
}

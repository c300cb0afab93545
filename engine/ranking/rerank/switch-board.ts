import { DAY_MS } from '../../../config/units.ts';
import { WINDOWS } from '../../contract/windows.ts';
import { partsOf } from '../board/merge-segments.ts';
import { planAllTopEntries } from '../board/plan-top-entries.ts';
import { createPublishedBoardSource } from '../board/published-board.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { applySegment, emptyDelta, makeSegment, mergeSegments, type Segment } from '../core/board/index.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { type BoardState, rankedIn } from '../read/board-state.ts';
import type { BaseRunHeader } from '../storage/base-runs.ts';
import type { ManifestChange, ManifestDocument, SegmentReference } from '../storage/board-manifest.ts';
import type { RerankRunDocument } from '../storage/reranks.ts';
import { randomId } from '../storage/unique-id.ts';
import type { CatchUp } from './catch-up.ts';

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

/** The board that replaces the current one. */
interface NextBoard {
  readonly methodology: Methodology;
  /** Its manifest is the current one, with the base run and the written segments of the next board. */
  readonly state: BoardState;
  /** Changes that are in the state's delta but not written yet. */
  readonly caughtUp: Segment;
}

/** Writes the caught-up changes as segments of the version after the manifest's. */
export async function writeCaughtUp(
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

/** How long after a switch it can be rolled back. */
const ROLLBACK_MS = 7 * DAY_MS;
/** How long both boards of a switch are kept: as long as daily boards. */
const KEPT_SWITCHES_MS = 100 * DAY_MS;

/** The manifest change that switches to the board of another methodology. */
export function switchOf(
  manifest: ManifestDocument,
  { state, methodology }: NextBoard,
  segments: SegmentReference[],
  { topEntries, run, at }: { readonly topEntries: string; readonly run: string | null; readonly at: Date },
): ManifestChange {
  const from = { methodology: manifest.methodology, base: manifest.base, segments: manifest.segments };
  const to = { methodology: methodology.id, base: state.base.id, segments };
  const kept = (manifest.switches ?? []).filter((one) => at.getTime() - one.at.getTime() < KEPT_SWITCHES_MS);
  return {
    ...to,
    topEntries,
    totals: WINDOWS.map((_, window) => rankedIn(state, window)),
    generated_at: at,
    rerank: null,
    switches: [...kept, { at, version: manifest.version + 1, run, from, to }],
    former: run === null ? null : { version: manifest.version, until: new Date(at.getTime() + ROLLBACK_MS) },
  };
}

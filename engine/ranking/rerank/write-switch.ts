import { WINDOWS } from '../../contract/windows.ts';
import { partsOf } from '../board/merge-segments.ts';
import { planTopEntries } from '../board/plan-top-entries.ts';
import type { PublishedBoardSource } from '../board/published-board.ts';
import type { RankingContext } from '../context.ts';
import { makeSegment, type Segment } from '../core/board/index.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { type BoardState, rankedIn } from '../read/board-state.ts';
import type { ManifestChange } from '../storage/board-manifest.ts';
import type { ManifestDocument, SegmentReference } from '../storage/documents.ts';
import { randomId } from '../storage/unique-id.ts';

/** The board that is to take the place of the present one, but for what changed since its parts were written. */
export interface NextBoard {
  readonly methodology: Methodology;
  /** With the segments that are written already. Its root is the present one, which it follows. */
  readonly state: BoardState;
  /** What changed since, not yet written. The state's overlay has it. */
  readonly caughtUp: Segment;
}

/** The finished first entries, or the operators whose records have moved past their Yields on that board. */
export async function planNextTopEntries(context: RankingContext, source: PublishedBoardSource, next: NextBoard) {
  return planTopEntries(context.stores.operators, source, {
    next: next.state,
    methodology: next.methodology,
    former: [],
    moved: new Set(),
    known: new Map(),
    segment: makeSegment([]),
    anew: true,
  });
}

/** Writes what was caught up with as segments of the version after `root`. */
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

/** How long a rollback can return to the board before a switch, in milliseconds. */
const ROLLBACK_MS = 7 * 24 * 3_600_000;
/** How long both boards of a switch are kept: as long as daily boards are. */
const KEPT_SWITCHES_MS = 100 * 24 * 3_600_000;

/** What the root becomes when another methodology's board takes the place of the present one. */
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

import { DAY_MS } from '../../../config/units.ts';
import { WINDOWS } from '../../contract/windows.ts';
import { partsOf } from '../board/merge-segments.ts';
import type { RankingContext } from '../context.ts';
import type { Segment } from '../core/board/index.ts';
import type { Methodology } from '../methodologies/methodology.ts';
import { type BoardState, rankedIn } from '../read/board-state.ts';
import type { ManifestChange, ManifestDocument, SegmentReference } from '../storage/board-manifest.ts';
import { randomId } from '../storage/unique-id.ts';

/** The board that replaces the current one. */
export interface NextBoard {
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

import { applySegments, type Delta, emptyDelta, rankedCount } from '../core/board/index.ts';
import { runCooperatively } from '../run-cooperatively.ts';
import type { BaseRunHeader } from '../storage/base-runs.ts';
import type { ManifestDocument } from '../storage/board-manifest.ts';
import type { BoardParts, TopEntryDocument } from '../storage/board-parts.ts';

/** One board version, immutable: its manifest, the header of its base run, and the delta of all segments since. */
export interface BoardState {
  readonly manifest: ManifestDocument;
  readonly base: BaseRunHeader;
  readonly delta: Delta;
}

/**
 * The state of `manifest`; reuses `former` when it has the same base run and ends between two segments. Null when a part
 * is gone, which means that `manifest` is no longer the newest: read it again and retry.
 */
export async function stateOf(
  parts: BoardParts,
  manifest: ManifestDocument,
  former: BoardState | null,
): Promise<BoardState | null> {
  if (former?.manifest.generation === manifest.generation) return former;
  const base = former?.base.id === manifest.base ? former.base : await parts.base(manifest.base);
  if (base === null) return null;
  const newer = former === null || former.base !== base ? null : segmentsAfter(manifest, base, former);
  const wanted = newer ?? manifest.segments;
  const segments = await parts.segments(wanted.map(({ id }) => id));
  if (segments === null) return null;
  const start = newer === null || former === null ? emptyDelta : former.delta;
  const delta = await runCooperatively(applySegments(start, segments));
  return { manifest, base, delta };
}

/** A board version with its top entries. */
export interface LoadedBoard {
  readonly state: BoardState;
  readonly topEntries: TopEntryDocument[][];
}

/** As `stateOf`, with the top entries. */
export async function loadBoard(
  parts: BoardParts,
  manifest: ManifestDocument,
  former: LoadedBoard | null,
): Promise<LoadedBoard | null> {
  const state = await stateOf(parts, manifest, former?.state ?? null);
  const isSame = former?.state.manifest.topEntries === manifest.topEntries;
  const topEntries = isSame ? former.topEntries : await parts.topEntries(manifest.topEntries);
  return state === null || topEntries === null ? null : { state, topEntries };
}

/** The last segment that a state includes, in its delta or in its base run. */
export function lastSegmentOf({ manifest, base }: Pick<BoardState, 'manifest' | 'base'>): string {
  return manifest.segments.at(-1)?.lastSegment ?? base.lastSegment;
}

/**
 * The segments of `manifest`, whose base run is `base`, after a former state; null when that does not end between two of
 * them. Compares segment ids, because a version can occur twice after a store lost its last writes in a crash.
 */
export function segmentsAfter(
  manifest: ManifestDocument,
  base: Pick<BaseRunHeader, 'lastSegment'>,
  former: Pick<BoardState, 'manifest' | 'base'>,
): ManifestDocument['segments'] | null {
  const lastSegment = lastSegmentOf(former);
  if (lastSegment === base.lastSegment) return manifest.segments;
  const last = manifest.segments.findLastIndex((segment) => segment.lastSegment === lastSegment);
  return last < 0 ? null : manifest.segments.slice(last + 1);
}

/** Number of ranked operators of a window. */
export function rankedIn({ base, delta }: BoardState, window: number): number {
  return rankedCount(base.directories[window]!.count, delta.windows[window]!);
}

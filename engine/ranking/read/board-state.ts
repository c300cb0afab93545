import { applySegment, emptyOverlay, type Overlay, rankedCount } from '../core/board/index.ts';
import type { BaseHeader } from '../mongo/board-bases.ts';
import type { BoardParts } from '../mongo/board-parts.ts';
import type { RootDocument } from '../mongo/documents.ts';

/** One board version, whole and immutable: its root, its base without pages, and all segments since. */
export interface BoardState {
  readonly root: RootDocument;
  readonly base: BaseHeader;
  readonly overlay: Overlay;
}

/**
 * The state of `root`, built on a former one where that has the same base and misses only whole segments. Null when a part
 * is gone, which means that `root` is no longer the newest: read that and try again.
 */
export async function stateOf(
  parts: BoardParts,
  root: RootDocument,
  former: BoardState | null,
): Promise<BoardState | null> {
  if (former?.root.version === root.version) return former;
  const base = former?.base.id === root.base ? former.base : await parts.base(root.base);
  if (base === null) return null;
  const continues = former !== null && former.base === base && newSegments(root, former.root.version) !== null;
  const wanted = continues ? newSegments(root, former.root.version)! : root.segments;
  const segments = await parts.segments(wanted.map(({ id }) => id));
  if (segments === null) return null;
  const overlay = segments.reduce(applySegment, continues ? former.overlay : emptyOverlay);
  return { root, base, overlay };
}

/** The root's segments that hold versions after `version`; null when one of them reaches back to before it. */
export function newSegments(root: RootDocument, version: number): RootDocument['segments'] | null {
  const newer = root.segments.filter(({ to }) => to > version);
  return newer.every(({ from }) => from > version) ? newer : null;
}

/** Ranked operators of a window. */
export function rankedIn({ base, overlay }: BoardState, window: number): number {
  return rankedCount(base.directories[window]!.count, overlay.windows[window]!);
}

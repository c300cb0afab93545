import { emptyOverlay, followSegments, type Overlay, rankedCount } from '../core/board/index.ts';
import { inTurns } from '../in-turns.ts';
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
  if (former?.root.stamp === root.stamp) return former;
  const base = former?.base.id === root.base ? former.base : await parts.base(root.base);
  if (base === null) return null;
  const newer = former === null || former.base !== base ? null : segmentsAfter(root, base, former);
  const wanted = newer ?? root.segments;
  const segments = await parts.segments(wanted.map(({ id }) => id));
  if (segments === null) return null;
  const start = newer === null || former === null ? emptyOverlay : former.overlay;
  const overlay = await inTurns(followSegments(start, segments));
  return { root, base, overlay };
}

/** The last segment that a state holds, in its overlay or in its base. */
export function tipOf({ root, base }: Pick<BoardState, 'root' | 'base'>): string {
  return root.segments.at(-1)?.tip ?? base.tip;
}

/**
 * The segments of `root`, whose base is `base`, that come after a former state; null when that does not end between two
 * of them. Segments are told by their names: versions come twice where a store lost its last writes in a crash.
 */
export function segmentsAfter(
  root: RootDocument,
  base: Pick<BaseHeader, 'tip'>,
  former: Pick<BoardState, 'root' | 'base'>,
): RootDocument['segments'] | null {
  const tip = tipOf(former);
  if (tip === base.tip) return root.segments;
  const last = root.segments.findLastIndex((segment) => segment.tip === tip);
  return last < 0 ? null : root.segments.slice(last + 1);
}

/** Ranked operators of a window. */
export function rankedIn({ base, overlay }: BoardState, window: number): number {
  return rankedCount(base.directories[window]!.count, overlay.windows[window]!);
}

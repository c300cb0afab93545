import type { RankingContext } from '../context.ts';
import type { Segment } from '../core/board/index.ts';
import { changesIn, cutSegment } from '../core/board/index.ts';
import { lastSegmentOf } from '../read/board-state.ts';
import type { ManifestDocument, SegmentReference } from '../storage/board-manifest.ts';
import { randomId } from '../storage/unique-id.ts';
import type { PublishedBoard } from './published-board.ts';

/** Default number of segments in a manifest above which they are merged. */
export const MAX_SEGMENTS = 256;
/** Operators of one stored segment, at 4 bytes each and 16 per window: a document has at most 16 MiB. */
const OPERATORS_PER_SEGMENT = 100_000;

/** Splits a segment into parts that each fit a document. */
export function partsOf(segment: Segment): Generator<Segment> {
  return cutSegment(segment, OPERATORS_PER_SEGMENT);
}

/** Replaces the segments since the base run by their merge when there are too many; the board's contents stay the same. */
export async function mergeBoardSegments(
  { stores, clock, failpoint, maxSegments }: RankingContext,
  board: PublishedBoard,
): Promise<PublishedBoard> {
  const { manifest, delta } = board.state;
  const first = manifest.segments[0];
  if (first === undefined || manifest.segments.length <= maxSegments) return board;
  const now = new Date(clock());
  const segments: SegmentReference[] = [];
  for (const part of partsOf(changesIn(delta))) {
    const id = `merged-${manifest.version}-${randomId()}`;
    await stores.parts.writeSegment(id, part, now);
    segments.push({ id, from: first.from, to: manifest.version, lastSegment: lastSegmentOf(board.state) });
  }
  await failpoint('merge.segment_written');
  const merged: ManifestDocument | null = await stores.board.advance(manifest, { segments });
  return merged === null ? board : { ...board, state: { ...board.state, manifest: merged } };
}

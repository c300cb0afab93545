import type { RankingContext } from '../context.ts';
import type { Segment } from '../core/board/index.ts';
import { changesIn, cutSegment } from '../core/board/index.ts';
import { lastSegmentOf } from '../read/board-state.ts';
import type { ManifestDocument, SegmentReference } from '../storage/documents.ts';
import { randomId } from '../storage/unique-id.ts';
import type { PublishedBoard } from './published-board.ts';

/** Segments a root may name before they are merged, unless an engine was given another limit. */
export const MAX_SEGMENTS = 256;
/** Operators of one stored segment, at 68 bytes each: a document holds 16 MiB. */
const OPERATORS_A_SEGMENT = 100_000;

/** A segment in parts that each fit a document. */
export function partsOf(segment: Segment): Generator<Segment> {
  return cutSegment(segment, OPERATORS_A_SEGMENT);
}

/** Replaces the segments since the base by their merge, once there are too many; the board stays what it is. */
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

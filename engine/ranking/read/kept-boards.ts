import { LRUCache } from 'lru-cache';
import { HOUR_MS } from '../../../config/units.ts';
import type { HourRange } from '../../contract/index.ts';
import { keptHistory } from '../core/board/index.ts';
import type { BoardReference, KeptBaseRun, ManifestDocument } from '../storage/board-manifest.ts';
import type { BoardParts } from '../storage/board-parts.ts';
import { type BoardState, stateOf } from './board-state.ts';
import { MissingPartError } from './page-cache.ts';

/** Cached former boards, without their pages. */
const CACHED_BOARDS = 128;

/** A board that can be asked for: the start of its hour, in milliseconds since the epoch, and its methodology. */
export interface KeptBoard {
  readonly at: number;
  readonly methodology: number;
}

/** The kept boards, oldest first. */
export function keptBoardsOf({ history, hour }: ManifestDocument): readonly KeptBoard[] {
  return keptHistory(history, hour).map((kept) => ({ at: kept.hour * HOUR_MS, methodology: kept.methodology }));
}

/** The first kept board of a range of hours; null without one. */
export function keptAt({ history, hour }: ManifestDocument, { from, until }: HourRange): KeptBaseRun | null {
  return keptHistory(history, hour).find((kept) => kept.hour >= from && kept.hour < until) ?? null;
}

export type FormerStates = ReturnType<typeof createFormerStates>;

/** Reads boards that a manifest refers to besides its own. */
export function createFormerStates(parts: BoardParts) {
  const cache = new LRUCache<string, BoardState>({ max: CACHED_BOARDS });

  /** Throws MissingPartError when a newer manifest no longer refers to it. */
  async function of(manifest: ManifestDocument, { methodology, base, segments }: BoardReference): Promise<BoardState> {
    const key = `${methodology}/${base}/${segments.at(-1)?.id ?? ''}`;
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const state = await stateOf(parts, { ...manifest, methodology, base, segments, generation: '' }, null);
    if (state === null) throw new MissingPartError(base);
    cache.set(key, state);
    return state;
  }

  return {
    of,
    /** A kept board, as of the start of its hour. */
    async kept(manifest: ManifestDocument, { base, hour, methodology }: KeptBaseRun): Promise<BoardState> {
      const state = await of(manifest, { methodology, base, segments: [] });
      return { ...state, manifest: { ...state.manifest, hour, generated_at: new Date(hour * HOUR_MS) } };
    },
  };
}

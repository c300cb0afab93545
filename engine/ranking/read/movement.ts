import { LRUCache } from 'lru-cache';
import { HOUR_MS } from '../../../config/units.ts';
import { boardAgo } from '../core/board/index.ts';
import type { KeptBaseRun, ManifestDocument } from '../storage/board-manifest.ts';
import type { BoardParts } from '../storage/board-parts.ts';
import type { Movement, MovementSince } from '../types.ts';
import { MissingPartError, type PageCache } from './page-cache.ts';

/** Minimum ages of the boards that current ranks are compared with, in hours. */
export const HOURS_24H = 24;
export const HOURS_7D = 168;
/** Former base runs whose sizes are cached. */
const CACHED_BASES = 256;

export const NO_MOVEMENT: Movement = { movement_24h: null, movement_7d: null };

/** The boards that movements on a board are measured from. */
export function movementSince({ history, hour }: ManifestDocument): MovementSince {
  const since = (hoursAgo: number): string | null => {
    const kept = boardAgo(history, hour, hoursAgo);
    return kept && new Date(kept.hour * HOUR_MS).toISOString();
  };
  return { movement_24h_since: since(HOURS_24H), movement_7d_since: since(HOURS_7D) };
}

export type Movements = ReturnType<typeof createMovements>;

/** Compares current ranks with those in kept base runs. */
export function createMovements(parts: BoardParts, pages: PageCache) {
  const slots = new LRUCache<string, number>({ max: CACHED_BASES });

  async function slotsOf(base: string): Promise<number> {
    const cached = slots.get(base);
    if (cached !== undefined) return cached;
    const header = await parts.base(base);
    if (header === null) throw new MissingPartError(base);
    slots.set(base, header.slots);
    return header.slots;
  }

  async function ranksThen(kept: KeptBaseRun | null, operator: number): Promise<readonly number[] | null> {
    if (kept === null) return null;
    const former = await pages.baseRunRanks({ id: kept.base, slots: await slotsOf(kept.base) }, operator);
    return former?.ranks ?? null;
  }

  return {
    /** In each of WINDOWS, given the current ranks (null = unranked), which may still be a promise. */
    async of(
      manifest: ManifestDocument,
      operator: number,
      ranks: readonly (number | null)[] | Promise<readonly (number | null)[]>,
    ): Promise<Movement[]> {
      const [dayAgo, weekAgo, current] = await Promise.all([
        ranksThen(boardAgo(manifest.history, manifest.hour, HOURS_24H), operator),
        ranksThen(boardAgo(manifest.history, manifest.hour, HOURS_7D), operator),
        ranks,
      ]);
      return current.map((rank, window) => ({
        movement_24h: climbed(dayAgo?.[window], rank),
        movement_7d: climbed(weekAgo?.[window], rank),
      }));
    },
  };
}

function climbed(then: number | undefined, now: number | null): number | null {
  return then === undefined || then === 0 || now === null ? null : then - now;
}

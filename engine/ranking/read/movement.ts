import { LRUCache } from 'lru-cache';
import { boardAgo } from '../core/board/index.ts';
import type { BoardParts } from '../storage/board-parts.ts';
import type { KeptBaseRun, ManifestDocument } from '../storage/documents.ts';
import { MissingPartError, type PageCache } from './page-cache.ts';

/** How old the boards are that present ranks are compared with. */
export const HOURS_24H = 24;
export const HOURS_7D = 168;
/** Sizes of former bases that are remembered. */
const REMEMBERED_BASES = 256;

/** Ranks gained (positive) or lost since then; null where there was no rank then, or is none now. */
export interface Movement {
  readonly movement_24h: number | null;
  readonly movement_7d: number | null;
}

export const NO_MOVEMENT: Movement = { movement_24h: null, movement_7d: null };

export type Movements = ReturnType<typeof createMovements>;

/** Compares present ranks with those in kept bases. */
export function createMovements(parts: BoardParts, pages: PageCache) {
  const slots = new LRUCache<string, number>({ max: REMEMBERED_BASES });

  async function slotsOf(base: string): Promise<number> {
    const known = slots.get(base);
    if (known !== undefined) return known;
    const header = await parts.base(base);
    if (header === null) throw new MissingPartError(base);
    slots.set(base, header.slots);
    return header.slots;
  }

  async function ranksThen(kept: KeptBaseRun | null, operator: number): Promise<readonly number[] | null> {
    if (kept === null) return null;
    const standing = await pages.baseRunRanks({ id: kept.base, slots: await slotsOf(kept.base) }, operator);
    return standing?.ranks ?? null;
  }

  return {
    /**
     * Movements of an operator in each window (WINDOWS), given its present ranks there (null = unranked), which may still be on
     * their way: former ranks are read meanwhile.
     */
    async of(
      manifest: ManifestDocument,
      operator: number,
      ranks: readonly (number | null)[] | Promise<readonly (number | null)[]>,
    ): Promise<Movement[]> {
      const [dayAgo, weekAgo, present] = await Promise.all([
        ranksThen(boardAgo(manifest.history, manifest.hour, HOURS_24H), operator),
        ranksThen(boardAgo(manifest.history, manifest.hour, HOURS_7D), operator),
        ranks,
      ]);
      return present.map((rank, window) => ({
        movement_24h: climbed(dayAgo?.[window], rank),
        movement_7d: climbed(weekAgo?.[window], rank),
      }));
    },
  };
}

function climbed(then: number | undefined, now: number | null): number | null {
  return then === undefined || then === 0 || now === null ? null : then - now;
}

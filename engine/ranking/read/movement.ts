import { HOUR_MS } from '../../../config/units.ts';
import { WINDOWS } from '../../contract/windows.ts';
import { boardAgo } from '../core/board/index.ts';
import type { ManifestDocument } from '../storage/board-manifest.ts';
import type { Movement, MovementSince } from '../types.ts';
import type { ViewParts } from './view-parts.ts';

/** What movements are read from. */
export type FormerBoards = Pick<ViewParts, 'former' | 'pages'>;

/** Minimum ages of the boards that current ranks are compared with, in hours. */
export const HOURS_24H = 24;
export const HOURS_7D = 168;

export const NO_MOVEMENT: Movement = { movement_24h: null, movement_7d: null };

/** The boards that movements on a board are measured from. */
export function movementSince({ history, hour }: ManifestDocument): MovementSince {
  const since = (hoursAgo: number): string | null => {
    const kept = boardAgo(history, hour, hoursAgo);
    return kept && new Date(kept.hour * HOUR_MS).toISOString();
  };
  return { movement_24h_since: since(HOURS_24H), movement_7d_since: since(HOURS_7D) };
}

/** In each of WINDOWS, given the current ranks (null = unranked), which may still be a promise: compared with those in kept base runs. */
export async function movementsOf(
  boards: FormerBoards,
  manifest: ManifestDocument,
  operator: number,
  ranks: readonly (number | null)[] | Promise<readonly (number | null)[]>,
): Promise<Movement[]> {
  const [dayAgo, weekAgo, current] = await Promise.all([
    ranksThen(boards, manifest, HOURS_24H, operator),
    ranksThen(boards, manifest, HOURS_7D, operator),
    ranks,
  ]);
  return current.map((rank, window) => ({
    movement_24h: climbed(dayAgo?.[window], rank),
    movement_7d: climbed(weekAgo?.[window], rank),
  }));
}

/** As `movementsOf`, in one window. */
export async function movementIn(
  boards: FormerBoards,
  manifest: ManifestDocument,
  { operator, window, rank }: { readonly operator: number; readonly window: number; readonly rank: number },
): Promise<Movement> {
  const ranks = WINDOWS.map((_, index) => (index === window ? rank : null));
  return (await movementsOf(boards, manifest, operator, ranks))[window]!;
}

async function ranksThen({ former, pages }: FormerBoards, manifest: ManifestDocument, hours: number, operator: number) {
  const kept = boardAgo(manifest.history, manifest.hour, hours);
  if (kept === null) return null;
  const { base } = await former.kept(manifest, kept);
  return (await pages.baseRunRanks(base, operator))?.ranks ?? null;
}

function climbed(then: number | undefined, now: number | null): number | null {
  return then === undefined || then === 0 || now === null ? null : then - now;
}

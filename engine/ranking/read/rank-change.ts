import { LRUCache } from 'lru-cache';
import { boardAgo, emptyDelta } from '../core/board/index.ts';
import { HOUR_MS } from '../core/operator-state/index.ts';
import type { BoardParts } from '../storage/board-parts.ts';
import type { BoardReference, KeptBaseRun, ManifestDocument, MethodologySwitch } from '../storage/documents.ts';
import type { MethodologyChange, RankChange } from '../types.ts';
import { publishedYield, rankOfYield } from './board-ranks.ts';
import { type BoardState, stateOf } from './board-state.ts';
import { MissingPartError, type PageCache } from './page-cache.ts';

/** Former boards that are held without their pages. */
const HELD_BOARDS = 16;

/** An operator's place on one board; `rank` is null where it is not ranked. */
interface Place {
  readonly state: BoardState;
  readonly yield_: number;
  readonly rank: number | null;
}

export type RankChanges = ReturnType<typeof createRankChanges>;

/** Tells why ranks changed: what the operator did, what the others did, and what changes of the methodology did. */
export function createRankChanges(parts: BoardParts, pages: PageCache) {
  const held = new LRUCache<string, BoardState>({ max: HELD_BOARDS });

  /** A board of the past as `root` refers to it. Throws MissingPartError when a newer root no longer does. */
  async function boardOf(
    manifest: ManifestDocument,
    { methodology, base, segments }: BoardReference,
  ): Promise<BoardState> {
    const key = `${base}/${segments.at(-1)?.id ?? ''}`;
    const known = held.get(key);
    if (known !== undefined) return known;
    const state = await stateOf(parts, { ...manifest, methodology, base, segments, generation: '' }, null);
    if (state === null) throw new MissingPartError(base);
    held.set(key, state);
    return state;
  }

  /** The boards on the way from a kept one to the present, in pairs of one methodology; null when there is a gap. */
  async function wayFrom(kept: KeptBaseRun, state: BoardState): Promise<(readonly [BoardState, BoardState])[] | null> {
    const { manifest } = state;
    const switches = switchesSince(manifest, kept);
    if (switches === null) return null;
    const first = await boardOf(manifest, { ...kept, segments: [] });
    const inner = await Promise.all(
      switches.flatMap(({ from, to }) => [boardOf(manifest, from), boardOf(manifest, to)]),
    );
    const boards = [{ ...first, delta: emptyDelta }, ...inner, state];
    return boards.flatMap((board, index) => (index % 2 === 0 ? [[board, boards[index + 1]!] as const] : []));
  }

  return {
    /** The change since the newest kept board that is at least `hoursAgo` old; null when none is. */
    async since(state: BoardState, operator: number, window: number, hoursAgo: number): Promise<RankChange | null> {
      const kept = boardAgo(state.manifest.history, state.manifest.hour, hoursAgo);
      if (kept === null) return null;
      const way = await wayFrom(kept, state);
      const places = await Promise.all(
        (way ?? [[await boardOf(state.manifest, { ...kept, segments: [] }), state] as const]).map((pair) =>
          Promise.all(pair.map((board) => placeOn(pages, board, operator, window))),
        ),
      );
      const [then, now] = [places[0]![0]!.rank, places.at(-1)![1]!.rank];
      const change = then === null || now === null ? null : then - now;
      const told = { since: kept.hour * HOUR_MS, rank_then: then, rank_now: now, change };
      const pieces =
        way === null ? [null] : await Promise.all(places.map(([a, b]) => split(pages, a!, b!, operator, window)));
      if (pieces.includes(null)) return { ...told, own: null, field: null, method: null };
      const own = pieces.reduce((sum, part) => sum + (part?.own ?? 0), 0);
      const field = pieces.reduce((sum, part) => sum + (part?.field ?? 0), 0);
      return { ...told, own, field, method: (change ?? 0) - own - field };
    },

    /** The changes of the methodology that are remembered, with the operator's place on either side, the oldest first. */
    async switches(state: BoardState, operator: number, window: number): Promise<MethodologyChange[]> {
      return Promise.all(
        (state.manifest.switches ?? []).map(async ({ at, from, to }) => {
          const places = [from, to].map(async (board) => {
            const { yield_, rank } = await placeOn(pages, await boardOf(state.manifest, board), operator, window);
            return { methodology: board.methodology, rank, yield_: rank === null ? null : yield_ };
          });
          const [before, after] = await Promise.all(places);
          return { at: at.getTime(), before: before!, after: after! };
        }),
      );
    },
  };
}

/** The switches that lie between a kept board and the present one; null when they do not lead from one to the other. */
function switchesSince(
  { switches = [], methodology }: ManifestDocument,
  kept: KeptBaseRun,
): MethodologySwitch[] | null {
  const first = switches.findIndex(
    ({ at, from }) => at.getTime() >= kept.hour * HOUR_MS && from.methodology === kept.methodology,
  );
  if (first < 0) return kept.methodology === methodology ? [] : null;
  return switches.slice(first);
}

async function placeOn(pages: PageCache, state: BoardState, operator: number, window: number): Promise<Place> {
  const yield_ = await publishedYield(pages, state, operator, window);
  const rank = Number.isNaN(yield_) ? null : await rankOfYield(pages, state, operator, window, yield_);
  return { state, yield_, rank };
}

/** What of the way between two boards of one methodology the operator's own Yield makes, and what the others'. */
async function split(pages: PageCache, then: Place, now: Place, operator: number, window: number) {
  if (then.rank === null || now.rank === null) return null;
  const alone = await rankOfYield(pages, then.state, operator, window, now.yield_);
  return { own: then.rank - alone, field: alone - now.rank };
}

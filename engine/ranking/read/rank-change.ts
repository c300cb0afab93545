import { HOUR_MS } from '../../../config/units.ts';
import { boardAgo, emptyDelta } from '../core/board/index.ts';
import type { KeptBaseRun, ManifestDocument, MethodologySwitch } from '../storage/board-manifest.ts';
import type { MethodologyChange, RankChange } from '../types.ts';
import { type OperatorYield, publishedYield, rankOfYield } from './board-ranks.ts';
import type { BoardState } from './board-state.ts';
import type { FormerStates } from './kept-boards.ts';
import type { PageCache } from './page-cache.ts';

/** An operator's entry on one board; `rank` is null where it is unranked. */
interface Place {
  readonly state: BoardState;
  readonly yield_: number;
  readonly rank: number | null;
}

type Row = Omit<OperatorYield, 'yield_'>;

type BoardPair = readonly [former: BoardState, latter: BoardState];

export type RankChanges = ReturnType<typeof createRankChanges>;

/** Splits rank changes by cause: the operator's Yield, the others' Yields, and changes of the methodology. */
export function createRankChanges(former: FormerStates, pages: PageCache) {
  /** The boards between a kept one and the current, as pairs with the same methodology; null when a switch is missing. */
  async function boardPairsFrom(kept: KeptBaseRun, state: BoardState): Promise<BoardPair[] | null> {
    const { manifest } = state;
    const switches = switchesSince(manifest, kept);
    if (switches === null) return null;
    const first = await former.of(manifest, { ...kept, segments: [] });
    const inner = await Promise.all(
      switches.flatMap(({ from, to }) => [former.of(manifest, from), former.of(manifest, to)]),
    );
    const boards = [{ ...first, delta: emptyDelta }, ...inner, state];
    return boards.flatMap((board, index) => (index % 2 === 0 ? [[board, boards[index + 1]!]] : []));
  }

  return {
    /**
     * The change since the newest kept board that is at least `hoursAgo` old; null when none is. `present`: the Yield of the operator's
     * record (NaN for none), in place of the one on the current board.
     */
    async since(state: BoardState, of: Row, hoursAgo: number, present?: number): Promise<RankChange | null> {
      const kept = boardAgo(state.manifest.history, state.manifest.hour, hoursAgo);
      if (kept === null) return null;
      const pairs = await boardPairsFrom(kept, state);
      const ends: BoardPair[] = pairs ?? [[await former.of(state.manifest, { ...kept, segments: [] }), state]];
      const places = await Promise.all(
        ends.map((pair) =>
          Promise.all(pair.map((board) => placeOn(pages, board, of, board === state ? present : undefined))),
        ),
      );
      const [then, now] = [places[0]![0]!.rank, places.at(-1)![1]!.rank];
      const change = then === null || now === null ? null : then - now;
      const ranks = { since: kept.hour * HOUR_MS, rank_then: then, rank_now: now, change };
      const split = ([a, b]: Place[]) => splitChange(pages, a!, b!, of);
      const splits = pairs === null ? [null] : await Promise.all(places.map(split));
      if (splits.includes(null)) return { ...ranks, own: null, field: null, method: null };
      const own = splits.reduce((sum, part) => sum + (part?.own ?? 0), 0);
      const field = splits.reduce((sum, part) => sum + (part?.field ?? 0), 0);
      return { ...ranks, own, field, method: (change ?? 0) - own - field };
    },

    /** The kept switches of the methodology, oldest first, with the operator's rank before and after each. */
    async switches(state: BoardState, operator: number, window: number): Promise<MethodologyChange[]> {
      return Promise.all(
        (state.manifest.switches ?? []).map(async ({ at, from, to }) => {
          const places = [from, to].map(async (board) => {
            const { yield_, rank } = await placeOn(pages, await former.of(state.manifest, board), { operator, window });
            return { methodology: board.methodology, rank, yield_: rank === null ? null : yield_ };
          });
          const [before, after] = await Promise.all(places);
          return { at: at.getTime(), before: before!, after: after! };
        }),
      );
    },
  };
}

/** The switches between a kept board and the current one; null when they do not connect their methodologies. */
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

/** `known`: the Yield, if it is not the one on the board. */
async function placeOn(pages: PageCache, state: BoardState, of: Row, known?: number): Promise<Place> {
  const yield_ = known ?? (await publishedYield(pages, state, of.operator, of.window));
  const rank = Number.isNaN(yield_) ? null : await rankOfYield(pages, state, { ...of, yield_ });
  return { state, yield_, rank };
}

/** The rank change between two boards of one methodology, by the operator's Yield and by the others'. */
async function splitChange(pages: PageCache, then: Place, now: Place, of: Row) {
  if (then.rank === null || now.rank === null) return null;
  const alone = await rankOfYield(pages, then.state, { ...of, yield_: now.yield_ });
  return { own: then.rank - alone, field: alone - now.rank };
}

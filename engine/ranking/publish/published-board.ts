import type { RankingContext } from '../context.ts';
import type { YieldTable } from '../core/board/index.ts';
import type { RootDocument, TopEntryDocument } from '../mongo/documents.ts';
import { type BoardState, segmentsAfter, stateOf } from '../read/board-state.ts';
import { createMovements, type Movements } from '../read/movement.ts';
import { createPageCache, type PageCache, PartGone } from '../read/page-cache.ts';
import { readTable } from './read-table.ts';

/** Roots tried before giving up on one whose parts are all there. */
const MAX_TRIES = 5;

/** What a committer remembers between commits: one published version and every operator's Yields in it. */
export interface PublishedBoard {
  readonly state: BoardState;
  readonly table: YieldTable;
  readonly tops: TopEntryDocument[][];
}

/** Reads published boards for a committer, remembering pages. */
export interface PublishedBoardSource {
  readonly pages: PageCache;
  readonly movements: Movements;
  /** The newest version, built on a former one where possible. The former one must not be used again. */
  newest(former: PublishedBoard | null): Promise<PublishedBoard>;
}

export function createPublishedBoardSource({ stores }: RankingContext): PublishedBoardSource {
  const pages = createPageCache(stores.parts);

  async function attempt(former: PublishedBoard | null): Promise<PublishedBoard | null> {
    const root = await stores.board.read();
    if (root === null) throw new Error('there is no board yet: create the first one');
    if (former?.state.root.stamp === root.stamp) return former;
    const state = await stateOf(stores.parts, root, former?.state ?? null);
    if (state === null) return null;
    const tops = former?.state.root.tops === root.tops ? former.tops : await stores.parts.tops(root.tops);
    const table = await tableOf(root, state, former);
    return tops === null || table === null ? null : { state, table, tops };
  }

  async function tableOf(root: RootDocument, state: BoardState, former: PublishedBoard | null) {
    const newer = former === null ? null : segmentsAfter(root, state.base, former.state);
    if (former === null || newer === null) return readTable(stores.parts, state);
    const segments = await stores.parts.segments(newer.map(({ id }) => id));
    if (segments === null) return null;
    for (const segment of segments) former.table.apply(segment);
    return former.table;
  }

  return {
    pages,
    movements: createMovements(stores.parts, pages),
    async newest(former) {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const found = await attempt(former).catch((error: unknown) => {
          if (error instanceof PartGone) return null;
          throw error;
        });
        if (found !== null) return found;
      }
      throw new Error('the board could not be read: its parts went missing again and again');
    },
  };
}

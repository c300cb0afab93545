import type { RankingContext } from '../context.ts';
import type { YieldTable } from '../core/board/index.ts';
import { type BoardState, type LoadedBoard, loadBoard, segmentsAfter } from '../read/board-state.ts';
import { createFormerStates } from '../read/kept-boards.ts';
import { createPageCache, firstOfTries, MAX_TRIES } from '../read/page-cache.ts';
import type { ManifestDocument } from '../storage/board-manifest.ts';
import { readTable } from './read-table.ts';

/** A committer's memory between commits: one published version and every operator's Yields in it. */
export interface PublishedBoard extends LoadedBoard {
  readonly table: YieldTable;
}

export type PublishedBoardSource = ReturnType<typeof createPublishedBoardSource>;

/** Reads published boards for a committer, with a page cache. */
export function createPublishedBoardSource({ stores }: RankingContext) {
  const pages = createPageCache(stores.parts);

  async function attempt(former: PublishedBoard | null): Promise<PublishedBoard | null> {
    const manifest = await stores.board.read();
    if (manifest === null) throw new Error('there is no board yet: create the first one');
    if (former?.state.manifest.generation === manifest.generation) return former;
    const board = await loadBoard(stores.parts, manifest, former);
    const table = board === null ? null : await tableOf(manifest, board.state, former);
    return board === null || table === null ? null : { ...board, table };
  }

  async function tableOf(manifest: ManifestDocument, state: BoardState, former: PublishedBoard | null) {
    const newer = former === null ? null : segmentsAfter(manifest, state.base, former.state);
    if (former === null || newer === null) return readTable(stores.parts, state);
    const segments = await stores.parts.segments(newer.map(({ id }) => id));
    if (segments === null) return null;
    for (const segment of segments) former.table.apply(segment);
    return former.table;
  }

  return {
    pages,
    former: createFormerStates(stores.parts),
    /** The newest version. Reuses and modifies `former`, which the caller must not use again. */
    async newest(former: PublishedBoard | null): Promise<PublishedBoard> {
      const found = await firstOfTries(() => attempt(former));
      if (found !== null) return found;
      throw new Error(`the board could not be read: parts were missing in ${MAX_TRIES} versions`);
    },
  };
}

import { LRUCache } from 'lru-cache';
import type { BoardReader, BoardView } from '../../../engine/ranking/index.ts';
import type { Addresses } from '../../addresses.ts';
import { fromStorage } from '../../http/problem.ts';
import { type Representation, represent } from '../../http/representation.ts';
import { NUMBERS_IN_A_PART, siteMapIndex, siteMapOfOperators, siteMapOfPages } from './site-map.ts';

/** How long a finished map is repeated. Crawlers come by the day; nobody comes onto the board to be crawled at once. */
const FRESH_MS = 600_000;

/** Finished maps kept at once, and the bytes of all, encodings included: crawlers that read them all come in a row. */
const MAX_MAPS = 64;
const MAX_BYTES = 24 * 1024 * 1024;

const XML = 'application/xml; charset=utf-8';

/** The sitemap in its parts. */
export interface SiteMaps {
  index(): Promise<Representation>;
  pages(): Representation;
  /** The part of operators numbered from `part` times `NUMBERS_IN_A_PART` on; null when nobody's number is so high. */
  operators(part: number): Promise<Representation | null>;
}

/** What the maps read of the board. */
export type MappedBoard = Pick<BoardView, 'highestNumber' | 'rankedNames'>;

/** A board as the maps read it: each question of the version that is the newest then. */
export function mappedBoard({ ask }: Pick<BoardReader, 'ask'>): MappedBoard {
  return {
    highestNumber: () => fromStorage(() => ask((board) => board.highestNumber())),
    rankedNames: (from, until) => fromStorage(() => ask((board) => board.rankedNames(from, until))),
  };
}

/** Makes the sitemap of a board: each part is read once for all who ask for it, and kept for some minutes. */
export function createSiteMaps(board: MappedBoard, addresses: Addresses): SiteMaps {
  const countParts = async (): Promise<number> => {
    const highest = await board.highestNumber();
    return highest === null ? 0 : Math.floor(highest / NUMBERS_IN_A_PART) + 1;
  };
  const maps = new LRUCache<string, Representation, number>({
    max: MAX_MAPS,
    maxSize: MAX_BYTES,
    sizeCalculation: bytesOf,
    ttl: FRESH_MS,
    async fetchMethod(_key, _stale, { context: part }) {
      if (part < 0) return finish(siteMapIndex(await countParts(), addresses));
      const from = part * NUMBERS_IN_A_PART;
      const names = await board.rankedNames(from, from + NUMBERS_IN_A_PART);
      return finish(siteMapOfOperators(names, addresses));
    },
  });
  let ofPages: Representation | null = null;
  return {
    index: () => maps.forceFetch('index', { context: -1 }),
    pages() {
      ofPages ??= finish(siteMapOfPages(addresses));
      return ofPages;
    },
    async operators(part) {
      // The index is not asked how many parts there are: it may be some minutes old.
      if (maps.peek(`${part}`) === undefined && part >= (await countParts())) return null;
      return maps.forceFetch(`${part}`, { context: part });
    },
  };
}

function finish(text: string): Representation {
  return represent(text, XML, true);
}

function bytesOf({ identity, gzip, br }: Representation): number {
  return identity.length + (gzip?.length ?? 0) + (br?.length ?? 0);
}

import { LRUCache } from 'lru-cache';
import type { BoardReader, Clock } from '../../../engine/ranking/index.ts';
import type { Addresses } from '../../http/hosts.ts';
import { fromStorage } from '../../http/problem.ts';
import { type Representation, represent } from '../../http/representation.ts';
import { createResolver, operatorRef, type Ref } from '../render/addresses.ts';

/** Operators' numbers in one part, about a megabyte: sitemaps.org allows more, but making it would block the event loop. */
const NUMBERS_IN_A_PART = 10_000;

/** How long a finished map is reused. Crawlers return after days, so a delay of ten minutes for a new operator is fine. */
const FRESH_MS = 600_000;

/** Finished maps kept at once, and the bytes of all, encodings included. A crawler reads all maps in sequence. */
const MAX_MAPS = 64;
const MAX_BYTES = 24 * 1024 * 1024;

const XML = 'application/xml; charset=utf-8';
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';

/** A board as the maps read it: each query reads the newest version at that time. */
export function mappedBoard({ withBoardView }: Pick<BoardReader, 'withBoardView'>) {
  return {
    highestNumber: () => fromStorage(() => withBoardView((board) => board.highestNumber())),
    rankedNames: (from: number, until: number) =>
      fromStorage(() => withBoardView((board) => board.rankedNames(from, until))),
  };
}

/** Makes the sitemap of a board: concurrent requests for a part share one read, and a part is kept for `FRESH_MS`. */
export function createSiteMaps(board: ReturnType<typeof mappedBoard>, addresses: Addresses, clock: Clock) {
  const countParts = async (): Promise<number> => {
    const highest = await board.highestNumber();
    return highest === null ? 0 : Math.floor(highest / NUMBERS_IN_A_PART) + 1;
  };
  const maps = new LRUCache<string, Representation, number>({
    max: MAX_MAPS,
    maxSize: MAX_BYTES,
    sizeCalculation: sizeOf,
    ttl: FRESH_MS,
    ttlResolution: 0,
    perf: { now: clock },
    async fetchMethod(_key, _stale, { context: part }) {
      if (part < 0) {
        const parts = Array.from(
          { length: await countParts() },
          (_, index): Ref => `site:/sitemap-operators-${index}.xml`,
        );
        return siteMap('sitemapindex', ['site:/sitemap-pages.xml', ...parts], addresses);
      }
      const from = part * NUMBERS_IN_A_PART;
      const names = await board.rankedNames(from, from + NUMBERS_IN_A_PART);
      return siteMap('urlset', names.map(operatorRef), addresses);
    },
  });
  return {
    index: () => maps.forceFetch('index', { context: -1 }),
    /** The part of operators numbered from `part` times `NUMBERS_IN_A_PART` on; null when no operator has a number that high. */
    async operators(part: number): Promise<Representation | null> {
      // The count of parts is read from the board, because the kept index may be up to ten minutes old.
      if (maps.peek(`${part}`) === undefined && part >= (await countParts())) return null;
      return maps.forceFetch(`${part}`, { context: part });
    },
  };
}

/** An index of maps, or a map of pages. The paths contain no character that XML must escape: codenames are percent-encoded. */
export function siteMap(kind: 'sitemapindex' | 'urlset', refs: readonly Ref[], addresses: Addresses): Representation {
  const to = createResolver(addresses, 'site');
  const tag = kind === 'urlset' ? 'url' : 'sitemap';
  const entries = refs.map((ref) => `<${tag}><loc>${to.far(ref)}</loc></${tag}>\n`).join('');
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<${kind} xmlns="${NAMESPACE}">\n${entries}</${kind}>\n`;
  return represent(text, XML, true);
}

/** Bytes of a body, encodings included. */
export function sizeOf({ identity, gzip, br }: Representation): number {
  return identity.length + (gzip?.length ?? 0) + (br?.length ?? 0);
}

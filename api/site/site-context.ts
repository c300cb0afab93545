import { LRUCache } from 'lru-cache';
import type { ApiContext } from '../context/api-context.ts';
import type { Representation } from '../http/representation.ts';
import { type ReadyResult, routesFor } from '../http/route.ts';
import type { createTool } from '../tool.ts';
import { type createSiteMaps, sizeOf } from './agents/site-maps.ts';
import type { createPictures } from './cards/pictures.ts';

/** The context of the website's handlers. */
export interface SiteContext extends ApiContext {
  readonly pages: ReturnType<typeof createPreparedPages>;
  readonly siteMaps: ReturnType<typeof createSiteMaps>;
  readonly pictures: ReturnType<typeof createPictures>;
  /** The command-line tool; the first call packs it. */
  readonly tool: ReturnType<typeof createTool>;
  /** The API description. */
  readonly description: Representation;
}

export const defineRoute = routesFor<SiteContext>();

/** Pages kept at once: every guide in both forms, and the boards of a few hundred choices. */
const MAX_PAGES = 400;

/** Bytes of all kept pages, encodings included. */
const MAX_PAGE_BYTES = 32 * 1024 * 1024;

/** Makes an empty store of finished pages, each made on first use. New pages evict those of former boards. */
export function createPreparedPages() {
  return new LRUCache<string, ReadyResult, () => ReadyResult>({
    max: MAX_PAGES,
    maxSize: MAX_PAGE_BYTES,
    sizeCalculation: ({ body }) => sizeOf(body),
    memoMethod: (_key, _stale, { context: make }) => make(),
  });
}

import { PAGE_FORMS } from '../../http/page-forms.ts';
import type { CachePolicy, Surface } from '../../http/route.ts';

/** Pages of the board are as fresh as the board; an edge may keep them for some seconds. */
export const BOARD_PAGE_CACHE: CachePolicy = { maxAge: 5, sharedMaxAge: 10, staleWhileRevalidate: 30 };

const PAGE = [
  { status: 200, description: 'The page.', mediaTypes: PAGE_FORMS.map(([, mediaType]) => mediaType) },
] as const;

/** Common members of page routes. The API description leaves pages out. */
export function pageRoute<const U extends Surface, const I extends string, const T extends string>(
  surface: U,
  path: T,
  operationId: I,
  summary: string,
) {
  return {
    method: 'get',
    surface,
    path,
    operationId,
    summary,
    description: 'A page, as HTML or Markdown by Accept.',
    tag: 'site',
    auth: 'public',
    successes: PAGE,
    limit: 'public',
    page: true,
    documented: false,
  } as const;
}

import type * as z from 'zod';
import type { LeaderboardQuery } from '../../../engine/contract/index.ts';

/** The offsets of the pages beside one, of which `offset` and `total` count rows; null where there is none. */
export function pagesBeside(offset: number, limit: number, total: number) {
  const last = Math.max(0, Math.floor((total - 1) / limit) * limit);
  const prev = offset > 0 ? Math.min(Math.max(0, offset - limit), last) : null;
  return { first: 0, prev, next: offset + limit < total ? offset + limit : null, last };
}

/** The Link header of a page (RFC 8288); other pages have the same parameters. */
export function pageLinks(
  address: string,
  { window, limit, at, platform }: Pick<z.output<typeof LeaderboardQuery>, 'window' | 'limit' | 'at' | 'platform'>,
  offset: number,
  total: number,
): { readonly Link: string } {
  const links = Object.entries(pagesBeside(offset, limit, total)).flatMap(([relation, from]) => {
    if (from === null) return [];
    const board = { ...(at !== undefined && { at }), ...(platform !== undefined && { platform }) };
    const query = new URLSearchParams({ window, limit: `${limit}`, offset: `${from}`, ...board });
    return `<${address}?${query.toString()}>; rel="${relation}"`;
  });
  return { Link: links.join(', ') };
}

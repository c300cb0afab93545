/** The parameters of a page that its neighbours have as well. */
interface PageQuery {
  readonly window: string;
  readonly limit: number;
  readonly at?: string | undefined;
  readonly platform?: string | undefined;
  readonly include?: string | undefined;
}

/** The offsets of the pages beside one, of which `offset` and `total` count rows; null where there is none. */
export function pagesBeside(offset: number, limit: number, total: number) {
  const last = Math.max(0, Math.floor((total - 1) / limit) * limit);
  const prev = offset > 0 ? Math.min(Math.max(0, offset - limit), last) : null;
  return { first: 0, prev, next: offset + limit < total ? offset + limit : null, last };
}

/** The Link header of a page (RFC 8288). */
export function pageLinks(
  address: string,
  { window, limit, at, platform }: PageQuery,
  offset: number,
  total: number,
): { readonly Link: string } {
  const links = Object.entries(pagesBeside(offset, limit, total)).flatMap(([relation, from]) => {
    if (from === null) return [];
    const query = new URLSearchParams({ window, limit: String(limit), offset: String(from) });
    if (at !== undefined) query.set('at', at);
    if (platform !== undefined) query.set('platform', platform);
    return `<${address}?${query.toString()}>; rel="${relation}"`;
  });
  return { Link: links.join(', ') };
}

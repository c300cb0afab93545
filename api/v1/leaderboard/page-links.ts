/** The parameters of a page that its neighbours have as well. */
interface PageQuery {
  readonly window: string;
  readonly limit: number;
  readonly at?: string | undefined;
  readonly platform?: string | undefined;
  readonly include?: string | undefined;
}

/** The Link header of a page (RFC 8288): the first, previous, next and last page; `offset` and `total` count rows. */
export function pageLinks(
  address: string,
  { window, limit, at, platform }: PageQuery,
  offset: number,
  total: number,
): { readonly Link: string } {
  const last = Math.max(0, Math.floor((total - 1) / limit) * limit);
  const pages = [
    ['first', 0],
    ...(offset > 0 ? [['prev', Math.min(Math.max(0, offset - limit), last)] as const] : []),
    ...(offset + limit < total ? [['next', offset + limit] as const] : []),
    ['last', last],
  ] as const;
  const links = pages.map(([relation, from]) => {
    const query = new URLSearchParams({ window, limit: String(limit), offset: String(from) });
    if (at !== undefined) query.set('at', at);
    if (platform !== undefined) query.set('platform', platform);
    return `<${address}?${query.toString()}>; rel="${relation}"`;
  });
  return { Link: links.join(', ') };
}

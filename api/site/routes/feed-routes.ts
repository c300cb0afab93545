import * as z from 'zod';
import type { FeedItem } from '../../../engine/ranking/index.ts';
import { html } from '../../html.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import { represent } from '../../http/representation.ts';
import type { Route } from '../../http/route.ts';
import { RANKING_CACHE } from '../../http/standard-headers.ts';
import { BY_CODENAME, REPEATED_FOR_MS } from '../../v1/operators.ts';
import { readable } from '../render/numbers.ts';
import { defineRoute, type SiteContext } from '../site-context.ts';

const TYPES = { json: 'application/feed+json; charset=utf-8', atom: 'application/atom+xml; charset=utf-8' };
const FORM = z.enum(['json', 'atom']);

const COMMON = {
  method: 'get',
  surface: 'site',
  summary: 'A feed',
  description: 'What happened on the hourly boards of the last day, as JSON Feed 1.1 or Atom (RFC 4287).',
  tag: 'site',
  auth: 'public',
  selects: true,
  successes: [{ status: 200, description: 'The feed.', mediaTypes: Object.values(TYPES) }],
  problems: ['path_unknown', 'operator_unknown'],
  limit: 'documents',
  alsoLimit: 'renders',
  cache: RANKING_CACHE,
  fastPath: { forMs: REPEATED_FOR_MS },
  documented: false,
} as const;

export const FEED_ROUTES: readonly Route<SiteContext>[] = [
  defineRoute({
    ...COMMON,
    path: '/feed.{form}',
    operationId: 'getFeed',
    params: { schema: z.object({ form: FORM }), unmatched: 'path_unknown' },
    handle: ({ params: { form } }, { ctx }) => feedResult(ctx, null, form),
  }),
  defineRoute({
    ...COMMON,
    path: '/operators/{codename}/feed.{form}',
    operationId: 'getOperatorFeed',
    params: { ...BY_CODENAME, schema: BY_CODENAME.schema.extend({ form: FORM }) },
    handle: ({ params: { codename, form } }, { ctx }) => feedResult(ctx, codename.toLowerCase(), form),
  }),
];

async function feedResult({ board, config }: SiteContext, of: string | null, form: z.output<typeof FORM>) {
  const { version: boardVersion, hourBeganAt } = board.view();
  const items = await fromStorage(() => board.withBoardView((view) => view.feed(of)));
  if (items === null) throw new Problem('operator_unknown', { detail: 'No operator has this codename.' });
  const home = of === null ? config.siteUrl : `${config.siteUrl}/operators/${of}`;
  const [own, title] = [`${home}/feed.${form}`, `Upsilon: ${of ?? 'the board'}`];
  const entries = items.map((item) => {
    const { kind, at, codename } = item;
    const url = codename === undefined ? `${config.loginUrl}/methodology` : `${config.siteUrl}/operators/${codename}`;
    const date = new Date(at).toISOString();
    const what = titleOf(item);
    return { id: `${url}#${kind}-${date}`, url, title: what, content_text: what, date_published: date };
  });
  const version = 'https://jsonfeed.org/version/1.1';
  const text =
    form === 'json'
      ? JSON.stringify({ version, title, home_page_url: home, feed_url: own, items: entries })
      : String(html`<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en"><id>${own}</id><title>${title}</title><updated>${new Date(hourBeganAt).toISOString()}</updated><author><name>Upsilon</name></author><link rel="self" href="${own}"/><link href="${home}"/>
${entries.map((item) => html`<entry><id>${item.id}</id><title>${item.title}</title><updated>${item.date_published}</updated><link href="${item.url}"/><content>${item.content_text}</content></entry>\n`)}</feed>
`);
  return { kind: 'ready', status: 200, body: represent(text, TYPES[form], true), board: boardVersion } as const;
}

function titleOf({ kind, codename, rank, tier, methodology }: FeedItem): string {
  if (kind === 'methodology') return `The board switched to methodology ${methodology}`;
  if (kind === 'first') return `${codename} is first on the board`;
  if (kind === 'tier') return `${codename} reached the tier ${tier}`;
  const place = rank === undefined ? '' : `, at rank ${readable(rank)}`;
  return `${codename} ${kind.replace('_100', ' the first hundred').replace('_10', ' the first ten')}${place}`;
}

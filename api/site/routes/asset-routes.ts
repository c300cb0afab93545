import * as z from 'zod';
import { Problem } from '../../http/problem.ts';
import { type Representation, represent } from '../../http/representation.ts';
import type { CachePolicy, ReadyResult, Route } from '../../http/route.ts';
import { DOCUMENT_CACHE } from '../../http/standard-headers.ts';
import { TOOL_PATH } from '../../tool.ts';
import { ASSETS, FAVICON, image } from '../assets/site-assets.ts';
import { defineRoute, type SiteContext } from '../site-context.ts';

const YEAR_SECONDS = 31_536_000;

const FOREVER: CachePolicy = { maxAge: YEAR_SECONDS, sharedMaxAge: YEAR_SECONDS, staleWhileRevalidate: 0 };

export const SVG = 'image/svg+xml; charset=utf-8';

/** An image loads no other resource, even when it is opened directly; its colours are in a `style` element. */
const IMAGE_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
};

/** The static picture of link previews. */
export const PREVIEW = image('preview.png', 'image/png');

export const FILE_ROUTE = {
  method: 'get',
  summary: 'A file of the website',
  description: 'A file of the website.',
  tag: 'site',
  auth: 'public',
  documented: false,
  successes: [{ status: 200, description: 'The file.' }],
} as const;

/** Files with a content hash in their name; served on every host and not rate limited, because every page needs them. */
const getAsset = defineRoute({
  ...FILE_ROUTE,
  surface: 'every',
  path: '/assets/{file}',
  operationId: 'getAsset',
  params: { schema: z.object({ file: z.string().refine((file) => ASSETS.has(file)) }), unmatched: 'path_unknown' },
  problems: ['path_unknown'],
  limit: null,
  cache: FOREVER,
  handle: ({ params }) => {
    const asset = ASSETS.get(params.file);
    if (asset === undefined) throw new Problem('path_unknown');
    const cached = `public, max-age=${YEAR_SECONDS}, immutable`;
    return { kind: 'ready', status: 200, body: asset.body, headers: { 'Cache-Control': cached } };
  },
});

const IMAGES = [
  ['every', '/favicon.svg', 'getFavicon', represent(FAVICON, SVG, true)],
  ['every', '/favicon.ico', 'getFaviconIco', image('favicon.ico', 'image/x-icon')],
  ['every', '/apple-touch-icon.png', 'getTouchIcon', image('apple-touch-icon.png', 'image/png')],
  ['site', '/preview.png', 'getPreviewImage', PREVIEW],
] as const;

/** The command-line tool, for `npx`. */
const getTool = defineRoute({
  ...FILE_ROUTE,
  surface: 'site',
  path: TOOL_PATH,
  operationId: 'getTool',
  limit: 'documents',
  cache: DOCUMENT_CACHE,
  handle: async (_input, { ctx }) => ({ kind: 'ready', status: 200, body: (await ctx.tool()).body }),
});

export function imageResult(body: Representation): ReadyResult {
  return { kind: 'ready', status: 200, body, headers: IMAGE_HEADERS };
}

export const ASSET_ROUTES: readonly Route<SiteContext>[] = [
  getAsset,
  ...IMAGES.map(([surface, path, operationId, body]) =>
    defineRoute({
      ...FILE_ROUTE,
      surface,
      path,
      operationId,
      limit: surface === 'every' ? null : 'images',
      cache: DOCUMENT_CACHE,
      handle: () => imageResult(body),
    }),
  ),
  getTool,
];

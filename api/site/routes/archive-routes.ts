import send from 'send';
import * as z from 'zod';
import { ARCHIVE_FILE } from '../../../engine/contract/archive.ts';
import { Problem } from '../../http/problem.ts';
import { type Features, type RouteResult, WRITTEN } from '../../http/route.ts';
import { addSecurityHeaders, CONTENT_SIGNAL, CORS_HEADERS } from '../../http/standard-headers.ts';
import { defineRoute } from '../site-context.ts';
import { FILE_ROUTE } from './asset-routes.ts';

/** Kept by caches only to be compared: lines of who was erased are blanked in place. */
const HEADERS: Record<string, string> = {
  ...CORS_HEADERS,
  'Content-Signal': CONTENT_SIGNAL,
  'Cache-Control': 'public, no-cache',
};
addSecurityHeaders(HEADERS);

/** A file of the archive, or a range of it. None has another name, so that no path leads out of the folder. */
export const getArchiveFile = defineRoute({
  ...FILE_ROUTE,
  surface: 'site',
  path: '/archive/{file}',
  operationId: 'getArchiveFile',
  params: { schema: z.object({ file: z.string().regex(ARCHIVE_FILE) }), unmatched: 'path_unknown' },
  limit: 'documents',
  headers: HEADERS,
  offered: ({ archive }: Features) => archive !== null,
  problems: ['path_unknown'],
  successes: [
    { status: 412, description: 'It is another.' },
    { status: 416, description: 'It has no such range.' },
  ],
  async handle({ params: { file } }, { ctx, koa }): Promise<RouteResult> {
    const root = ctx.config.archive?.dir ?? '';
    // Set by clients that compare what they have, as fetch does; `send` takes it for a wish to have all again.
    delete koa.req.headers['cache-control'];
    koa.status = 200;
    koa.respond = false;
    const failure = await new Promise<(Error & { readonly status: number }) | null>((resolve) => {
      koa.res.once('close', () => resolve(null));
      send(koa.req, file, { root, cacheControl: false }).once('error', resolve).pipe(koa.res);
    });
    // Once the status is sent, closing the connection early is what reports a failure.
    if (koa.headerSent) koa.res.destroy();
    if (failure === null || koa.headerSent) return WRITTEN;
    koa.respond = true;
    if (failure.status >= 500) throw failure;
    if (failure.status === 404) throw new Problem('path_unknown', { detail: 'The archive has no such file.' });
    return { kind: 'empty', status: failure.status };
  },
});

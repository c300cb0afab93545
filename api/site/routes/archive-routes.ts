import { open } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { ARCHIVE_FILE } from '../../../engine/contract/archive.ts';
import { Problem } from '../../http/problem.ts';
import { JSON_TYPE, matchesTag } from '../../http/representation.ts';
import type { Call, Features, Route, RouteResult } from '../../http/route.ts';
import { defineRoute, type SiteContext } from '../site-context.ts';
import { FILE_ROUTE } from './asset-routes.ts';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.json': JSON_TYPE,
  '.jws': 'application/jose',
  '.gz': 'application/gzip',
};

const PATHS = [
  ['/archive/{file}', 'getArchiveFile'],
  ['/archive/{folder}/{file}', 'getArchivePart'],
] as const;

export const ARCHIVE_ROUTES: readonly Route<SiteContext>[] = PATHS.map(([path, operationId]) =>
  defineRoute({
    ...FILE_ROUTE,
    surface: 'site',
    path,
    operationId,
    params: { schema: z.object({ folder: z.string().optional(), file: z.string() }), unmatched: 'path_unknown' },
    limit: 'documents',
    offered: ({ archive }: Features) => archive !== null,
    problems: ['path_unknown'],
    successes: [
      { status: 200, description: 'The file.' },
      { status: 206, description: 'A range of it.' },
      { status: 304, description: 'It is unchanged.' },
      { status: 416, description: 'It has no such range.' },
    ],
    handle: ({ params: { folder, file } }, call) => sendFile(folder === undefined ? file : `${folder}/${file}`, call),
  }),
);

/** A file of the archive: none has another name than these, so that no path leads out of its folder. @throws Problem path_unknown. */
async function sendFile(name: string, { ctx, header, method }: Call<SiteContext, null>): Promise<RouteResult> {
  const dir = ctx.config.archive?.dir;
  const file = dir === undefined || !ARCHIVE_FILE.test(name) ? null : await open(join(dir, name)).catch(() => null);
  if (file === null) throw new Problem('path_unknown', { detail: 'The archive has no such file.' });
  const { size, mtimeMs, ino } = await file.stat();
  const tag = `"${[ino, mtimeMs, size].map((part) => Math.round(part).toString(36)).join('-')}"`;
  const isSame = [undefined, tag].includes(header('if-range'));
  // Of the ranges of RFC 9110 those that resume a download; to others the answer is the whole file.
  const [, first, last] = /^bytes=(\d{1,15})-(\d{1,15})?$/.exec((isSame && header('range')) || '') ?? [];
  const isRange = first !== undefined && Number(last ?? first) >= Number(first);
  const [start, end] = isRange ? [Number(first), Math.min(Number(last ?? size), size - 1)] : [0, size - 1];
  const status = matchesTag(header('if-none-match'), tag) ? 304 : isRange ? (start < size ? 206 : 416) : 200;
  const headers = {
    // Kept by caches only to be compared: lines of who was erased are blanked in place.
    'Cache-Control': 'public, no-cache',
    'Content-Type': MEDIA_TYPES[name.slice(name.lastIndexOf('.'))] ?? '',
    ETag: tag,
    'Accept-Ranges': 'bytes',
    ...(status < 300 ? { 'Content-Length': String(end - start + 1) } : {}),
    ...(status === 206 ? { 'Content-Range': `bytes ${start}-${end}/${size}` } : {}),
    ...(status === 416 ? { 'Content-Range': `bytes */${size}` } : {}),
  };
  if (status < 300 && method !== 'HEAD') {
    return { kind: 'file', status, headers, stream: file.createReadStream({ start, end }) };
  }
  await file.close();
  return { kind: 'file', status, headers };
}

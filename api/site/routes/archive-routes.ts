import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { ARCHIVE_FILE } from '../../../engine/contract/archive.ts';
import { Problem } from '../../http/problem.ts';
import { JSON_TYPE, matchesTag } from '../../http/representation.ts';
import type { Call, Features, FileResult, Route } from '../../http/route.ts';
import { defineRoute, type SiteContext } from '../site-context.ts';
import { FILE_ROUTE } from './asset-routes.ts';

/** Kept by caches only to be compared: lines of who was erased are blanked in place. */
const REVALIDATED = 'public, no-cache';

const ARCHIVED = {
  ...FILE_ROUTE,
  surface: 'site',
  limit: 'documents',
  offered: ({ archive }: Features) => archive !== null,
  problems: ['path_unknown'],
  successes: [
    { status: 200, description: 'The file.' },
    { status: 206, description: 'A range of it.' },
    { status: 304, description: 'It is unchanged.' },
    { status: 416, description: 'It has no such range.' },
  ],
} as const;

const Name = z.string().max(40);

const getArchiveFile = defineRoute({
  ...ARCHIVED,
  path: '/archive/{file}',
  operationId: 'getArchiveFile',
  params: { schema: z.object({ file: Name }), unmatched: 'path_unknown' },
  handle: ({ params: { file } }, call) => sendFile(file, call),
});

const getArchivePart = defineRoute({
  ...ARCHIVED,
  path: '/archive/{folder}/{file}',
  operationId: 'getArchivePart',
  params: { schema: z.object({ folder: Name, file: Name }), unmatched: 'path_unknown' },
  handle: ({ params: { folder, file } }, call) => sendFile(`${folder}/${file}`, call),
});

export const ARCHIVE_ROUTES: readonly Route<SiteContext>[] = [getArchiveFile, getArchivePart];

/** A file of the archive: none has another name than these, so that no path leads out of its folder. @throws Problem path_unknown. */
async function sendFile(name: string, { ctx, header, method }: Call<SiteContext, null>): Promise<FileResult> {
  const dir = ctx.config.archive?.dir;
  const file = dir === undefined || !ARCHIVE_FILE.test(name) ? null : await open(join(dir, name)).catch(() => null);
  if (file === null) throw new Problem('path_unknown', { detail: 'The archive has no such file.' });
  try {
    const { size, mtimeMs, ino } = await file.stat();
    const tag = `"${[ino, mtimeMs, size].map((part) => Math.round(part).toString(36)).join('-')}"`;
    const headers = {
      'Cache-Control': REVALIDATED,
      'Content-Type': name.endsWith('.json')
        ? JSON_TYPE
        : name.endsWith('.jws')
          ? 'application/jose'
          : 'application/gzip',
      ETag: tag,
      'Accept-Ranges': 'bytes',
    };
    if (matchesTag(header('if-none-match'), tag)) return await withoutBody(file, 304, headers);
    const isSame = [undefined, tag].includes(header('if-range'));
    const range = isSame ? rangeOf(header('range'), size) : null;
    if (range === 'none') return await withoutBody(file, 416, { ...headers, 'Content-Range': `bytes */${size}` });
    const { start, end } = range ?? { start: 0, end: size - 1 };
    const sent = { ...headers, 'Content-Length': String(end - start + 1) };
    const status = range === null ? 200 : 206;
    const all = status === 200 ? sent : { ...sent, 'Content-Range': `bytes ${start}-${end}/${size}` };
    if (method === 'HEAD' || size === 0) return await withoutBody(file, status, all);
    return { kind: 'file', status, headers: all, stream: file.createReadStream({ start, end }) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function withoutBody(file: FileHandle, status: number, headers: FileResult['headers']): Promise<FileResult> {
  await file.close();
  return { kind: 'file', status, headers, stream: null };
}

/** The one range of a Range value (RFC 9110, 14.2); null: the whole file, also for several ranges; `none`: outside of the file. */
function rangeOf(
  value: string | undefined,
  size: number,
): { readonly start: number; readonly end: number } | 'none' | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(value ?? '') ?? [];
  if (first === '' && last === '') return null;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null;
  return start > end ? 'none' : { start, end };
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { represent } from '../../http/representation.ts';

/** Characters of the digest in a file's name. */
const HASH_LENGTH = 12;

export const STYLESHEET = asset('site.css', 'text/css; charset=utf-8');
export const SCRIPT = asset('site.js', 'text/javascript; charset=utf-8');

/** Every asset by its file name. */
export const ASSETS = new Map([STYLESHEET, SCRIPT].map((one) => [one.file, one] as const));

/** The site icon, 1200 × 630 pixels, because link previews do not support SVG. */
export const PREVIEW_IMAGE = represent(read('preview.png'), 'image/png', false);

function read(source: string): Buffer {
  return readFileSync(new URL(source, import.meta.url));
}

/** A file with a content hash in its name, so that caches can keep it forever; every host that has pages serves `path`. */
function asset(source: string, mediaType: string) {
  const content = read(source);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, HASH_LENGTH);
  const file = source.replace('.', `.${hash}.`);
  return { file, path: `/assets/${file}`, body: represent(content, mediaType, true) };
}

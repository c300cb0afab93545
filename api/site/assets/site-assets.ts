import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Representation, represent } from '../../http/representation.ts';

/** A file with a content hash in its name, so that caches can keep it forever. */
export interface Asset {
  readonly file: string;
  /** Path on every host that has pages. */
  readonly path: string;
  readonly body: Representation;
}

/** Characters of the digest in a file's name. */
const HASH_LENGTH = 12;

export const STYLESHEET = asset('site.css', 'text/css; charset=utf-8');
export const SCRIPT = asset('site.js', 'text/javascript; charset=utf-8');

/** Every asset by its file name. */
export const ASSETS: ReadonlyMap<string, Asset> = new Map([STYLESHEET, SCRIPT].map((one) => [one.file, one]));

/** The site icon, 1200 × 630 pixels, because link previews do not support SVG. */
export const PREVIEW_IMAGE = represent(read('preview.png'), 'image/png', false);

function read(source: string): Buffer {
  return readFileSync(new URL(source, import.meta.url));
}

function asset(source: string, mediaType: string): Asset {
  const content = read(source);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, HASH_LENGTH);
  const file = source.replace('.', `.${hash}.`);
  return { file, path: `/assets/${file}`, body: represent(content, mediaType, true) };
}

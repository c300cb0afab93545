import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { represent } from '../../http/representation.ts';

/** Characters of the digest in a file's name. */
const HASH_LENGTH = 12;

export const STYLESHEET = asset('site.css', 'text/css; charset=utf-8');
export const SCRIPT = asset('site.js', 'text/javascript; charset=utf-8');

/** Requests of the API with their responses, which a test wrote. */
export const SAMPLES = read('samples.json').toString();

/** Every asset by its file name. */
export const ASSETS = new Map([STYLESHEET, SCRIPT].map((one) => [one.file, one] as const));

/** The mark of the site: the letter as streams that join. */
export const FAVICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="4" fill="#12161a"/>' +
  '<g fill="none" stroke-width="2.5" stroke-linecap="round"><path d="M4.5 5C9 5 12 8.5 12 13v6.5" stroke="#79c9dc"/>' +
  '<path d="M19.5 5C15 5 12 8.5 12 13v6.5" stroke="#f2a668"/></g></svg>';

/** An image that `npm run pictures` made: not every program reads SVG. */
export function image(source: string, mediaType: string) {
  return represent(read(source), mediaType, false);
}

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

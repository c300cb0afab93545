import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';

/** Fixed: a file that is written again has the same bytes. Node's header of gzip has no time. Level 6 saves 1 % and takes twice as long. */
const GZIP_LEVEL = 3;

/** What is staged is never served: it has no name of an archive's file. */
const staged = (path: string): string => `${path}.new`;

/** Compresses text into the staged file of a path, durably. Returns the length and SHA-256 of the file. */
export async function stagePart(path: string, text: AsyncIterable<string> | Iterable<string>) {
  await mkdir(dirname(path), { recursive: true });
  const hash = createHash('sha256');
  let bytes = 0;
  const measure = new Transform({
    transform(piece: Buffer, _encoding, done) {
      hash.update(piece);
      bytes += piece.length;
      done(null, piece);
    },
  });
  const file = createWriteStream(staged(path), { flush: true });
  await pipeline(text, createGzip({ level: GZIP_LEVEL }), measure, file);
  return { bytes, sha256: hash.digest('hex') };
}

/** Puts the staged file in its place. Without one it is there already. */
export async function placePart(path: string): Promise<void> {
  await rename(staged(path), path).catch(unlessMissing);
}

/** Replaces a small file, so that readers see either content; durable with its folder. */
export async function writeFileWhole(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(staged(path), 'w');
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(staged(path), path);
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Null where there is no such file. */
export async function readIfThere(path: string): Promise<Buffer | null> {
  return (await readFile(path).catch(unlessMissing)) ?? null;
}

export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes);
  return hash.digest('hex');
}

/** The lines of a part, each with its end. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  const text = createReadStream(path).pipe(createGunzip()).setEncoding('utf8');
  let rest = '';
  for await (const piece of text) {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield `${line}\n`;
  }
}

function unlessMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}

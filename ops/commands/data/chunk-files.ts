import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { CommandError } from '../command-context.ts';

const LENGTH_BYTES = 4;

/** Writes documents to a compressed file, which is on disk before it is renamed. Returns its SHA-256 in hex. */
export async function writeChunk(folder: string, file: string, documents: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  const hashing = new Transform({
    transform(bytes: Buffer, _encoding, done) {
      hash.update(bytes);
      done(null, bytes);
    },
  });
  const unfinished = join(folder, `${file}.new`);
  await pipeline(
    Readable.from(documents, { objectMode: true }),
    createGzip({ level: 1 }),
    hashing,
    createWriteStream(unfinished, { mode: 0o600, flush: true }),
  );
  await rename(unfinished, join(folder, file));
  return hash.digest('hex');
}

/** Reads the documents of a chunk as BSON; each begins with its length. */
export async function* readChunk(folder: string, file: string): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0);
  for await (const piece of createReadStream(join(folder, file)).pipe(createGunzip())) {
    rest = Buffer.concat([rest, piece]);
    let at = 0;
    while (rest.length - at >= LENGTH_BYTES && rest.length - at >= rest.readInt32LE(at)) {
      const end = at + rest.readInt32LE(at);
      yield rest.subarray(at, end);
      at = end;
    }
    rest = rest.subarray(at);
  }
  if (rest.length > 0) throw new CommandError(`${file} ends inside a document`, 'Export again.');
}

/** @throws CommandError when a chunk cannot be read or has another SHA-256. */
export async function requireChunk(folder: string, file: string, sha256: string): Promise<void> {
  const hash = createHash('sha256');
  try {
    for await (const bytes of createReadStream(join(folder, file))) hash.update(bytes);
  } catch (error) {
    throw new CommandError(`${file} of the export cannot be read`, 'Restore the folder, or export again.', {
      cause: error,
    });
  }
  if (hash.digest('hex') === sha256) return;
  throw new CommandError(`${file} of the export is damaged`, 'The file was not imported. Restore it.');
}

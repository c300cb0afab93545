import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CliError, reasonOf, reasonText } from '../cli-error.ts';
import { isWebAddress } from '../net/web-address.ts';

/** The largest file besides the lines, in bytes. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** An archive in a folder or at an address. */
export type Archive = ReturnType<typeof openArchive>;

/** A file of an archive is not what it should be. */
export function differs(file: string, what: string): CliError {
  const hint = 'The archive was damaged or changed. Read the file again; if it stays so, tell the service.';
  return new CliError('refused', 'archive_differs', `${file}: ${what}`, hint);
}

/** Opens one by its folder or address; reads nothing yet. */
export function openArchive(place: string) {
  /** The bytes of a file as they come; null where there is none. */
  async function stream(file: string): Promise<AsyncIterable<Uint8Array> | null> {
    const path = isWebAddress(place) ? `${place.replace(/\/+$/, '')}/${file}` : join(place, file);
    try {
      if (isWebAddress(path)) {
        // Not decompressed on the way: the hashes are those of the files.
        const response = await fetch(path, { headers: { 'accept-encoding': 'identity' } });
        if (response.status === 404) return null;
        if (response.status === 429) {
          await setTimeout(1_000 * Math.min(60, Number(response.headers.get('retry-after')) || 1));
          return await stream(file);
        }
        if (response.status === 200 && response.body !== null) return response.body;
        throw new Error(`status ${response.status}`);
      }
      const found = createReadStream(path);
      await new Promise((resolve, reject) => found.once('open', resolve).once('error', reject));
      return found;
    } catch (error) {
      if (reasonOf(error) === 'ENOENT') return null;
      throw new CliError('network', 'archive_unreadable', `${path} cannot be read: ${reasonText(reasonOf(error))}`);
    }
  }

  return {
    stream,

    /** A small file as a whole, which another one may name. @throws CliError without it. */
    async read(file: string, namedBy?: string): Promise<Buffer> {
      const found = await stream(file);
      if (found === null) {
        throw differs(file, `there is no such file${namedBy === undefined ? '' : `, which ${namedBy} names`}`);
      }
      const pieces: Uint8Array[] = [];
      let size = 0;
      for await (const piece of found) {
        size += piece.length;
        if (size > MAX_FILE_BYTES) throw differs(file, 'it is too long');
        pieces.push(piece);
      }
      return Buffer.concat(pieces);
    },
  };
}

import { writeFile } from 'node:fs/promises';
import { checksumOf } from '../../../cli/src/store/usage-head.ts';
import type { UsageStore } from '../../../cli/src/store/usage-store.ts';

/** Writes a store in version 1 of the file format: magic, length and header, without sums. */
export async function writeHeadless(path: string, { epoch, platforms, files, table }: UsageStore): Promise<void> {
  const { rows, keys } = table.stored();
  const header = Buffer.from(
    JSON.stringify({
      epoch,
      platforms,
      rows: rows.times.length,
      keys: keys.rows.length,
      files: files.map((file) => [
        file.path,
        file.platform,
        file.version,
        file.fingerprint,
        file.bytes,
        file.records,
        Object.values(file.skipped),
      ]),
    }),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length);
  const sections: readonly ArrayBufferView[] = [
    rows.counts,
    rows.times,
    rows.requests,
    rows.links,
    rows.files,
    rows.kinds,
    rows.platforms,
    keys.highs,
    keys.lows,
    keys.rows,
  ];
  const parts = [
    Buffer.concat([Buffer.from('upsilon-usage-1\n'), length, header]),
    ...sections.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  ];
  const body = Buffer.concat(parts.map((part) => Buffer.concat([part, Buffer.alloc((8 - (part.length % 8)) % 8)])));
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(checksumOf(body));
  await writeFile(path, Buffer.concat([body, checksum]));
}

import { writeFile } from 'node:fs/promises';
import { checksumOf } from '../../../cli/src/store/usage-head.ts';
import type { UsageStore } from '../../../cli/src/store/usage-store.ts';
import { summarize } from '../../../cli/src/store/usage-summary.ts';

/** Writes a store in version 1 of the file format: magic, length and header, without sums. */
export async function writeHeadless(path: string, store: UsageStore): Promise<void> {
  const header = headerOf(store);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length);
  await writeStore(path, store, padded(Buffer.concat([Buffer.from('upsilon-usage-1\n'), length, header])));
}

/** Writes a store in version 2 of the file format: a head of header and sums of files, without origins and buckets. */
export async function writeBucketless(path: string, store: UsageStore): Promise<void> {
  const header = headerOf(store);
  const preamble = Buffer.alloc(32);
  preamble.write('upsilon-usage-2\n', 'latin1');
  preamble.writeUInt32LE(header.length, 16);
  preamble.writeUInt32LE(store.files.length, 20);
  const { sums } = summarize(store);
  const head = Buffer.concat([preamble, padded(header), Buffer.from(sums.buffer), Buffer.alloc(8)]);
  head.writeDoubleLE(head.length + bodyOf(store).length + 4, 24);
  head.writeUInt32LE(checksumOf(head.subarray(0, -8)), head.length - 8);
  await writeStore(path, store, head);
}

function headerOf({ epoch, platforms, files, table }: UsageStore): Buffer {
  const { rows, keys } = table.stored();
  const listed = files.map((file) => [
    file.path,
    file.platform,
    file.version,
    file.fingerprint,
    file.bytes,
    file.records,
    Object.values(file.skipped),
  ]);
  const described = { epoch, platforms, rows: rows.times.length, keys: keys.rows.length };
  return Buffer.from(JSON.stringify({ ...described, files: listed }));
}

function bodyOf({ table }: UsageStore): Buffer {
  const { rows, keys } = table.stored();
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
  return Buffer.concat(
    sections.map(({ buffer, byteOffset, byteLength }) => padded(Buffer.from(buffer, byteOffset, byteLength))),
  );
}

async function writeStore(path: string, store: UsageStore, head: Buffer): Promise<void> {
  const content = Buffer.concat([head, bodyOf(store)]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(checksumOf(content));
  await writeFile(path, Buffer.concat([content, checksum]));
}

function padded(part: Buffer): Buffer {
  return Buffer.concat([part, Buffer.alloc((8 - (part.length % 8)) % 8)]);
}

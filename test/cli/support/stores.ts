import { readFile, writeFile } from 'node:fs/promises';
import { openSqlite } from '../../../cli/src/files/sqlite.ts';
import { BUCKET_SECONDS, type Bucket, type FileEntry, skipCounts } from '../../../cli/src/store/buckets.ts';
import { storePath, withStore } from '../../../cli/src/store/open-store.ts';
import { createSchema } from '../../../cli/src/store/schema.ts';
import { UsageStore } from '../../../cli/src/store/usage-store.ts';
import type { Counts } from '../../../engine/contract/signing/index.ts';

const PAGE_BYTES = 4096;

/** A store in memory. */
export async function emptyStore(): Promise<UsageStore> {
  const database = await openSqlite(':memory:');
  createSchema(database, 0);
  const store = new UsageStore(database, () => true, false);
  store.load();
  return store;
}

/** Opens the store of a settings folder, which is created if there is none, and keeps what is changed. */
export async function useStore<T>(
  configDir: string,
  action: (store: UsageStore) => T | Promise<T>,
  epoch = 0,
): Promise<T> {
  const warn = (text: string): void => {
    throw new Error(`${storePath(configDir)}: ${text}`);
  };
  return await withStore(configDir, { epoch, keep: true, warn }, async (store) => await action(store));
}

export function fileEntry(path: string, platform: string, id = 1): FileEntry {
  return { id, path, platform, version: 1, fingerprint: '', bytes: 1, records: 1, skipped: skipCounts() };
}

/** A usage that shares no key with another one. */
export interface SingleUsage {
  readonly platform: string;
  /** Seconds since the epoch. */
  readonly time: number;
  readonly counts: Counts;
  readonly model?: string | null;
  readonly project?: string | null;
  readonly session?: string | null;
}

/** A bucket of each usage. */
export function bucketsOf(usages: readonly SingleUsage[]): readonly Bucket[] {
  return usages.map(({ platform, time, counts, model = null, project = null, session = null }, id) => {
    const origin = { id, text: JSON.stringify([session, project, model]), model, project, session };
    const start = time - (time % BUCKET_SECONDS);
    return { ...counts, file: fileEntry(platform, platform), origin, time: start, messages: 1, placeholders: 0 };
  });
}

/** Damages every page of a store but the first, so that nothing can be read. Returns the damaged file. */
export async function damageStore(path: string): Promise<Buffer> {
  const bytes = await readFile(path);
  for (let page = PAGE_BYTES; page < bytes.length; page += PAGE_BYTES) bytes.fill(0x7f, page, page + 8);
  await writeFile(path, bytes);
  return bytes;
}

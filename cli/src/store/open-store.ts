import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '../cli-error.ts';
import { withLock } from '../files/lock.ts';
import { readUsage, usagePath, writeUsage } from './usage-file.ts';
import { emptyStore, fileKey, fileNumbers, type UsageStore } from './usage-store.ts';

/** How long a command that only shows counts waits for a run that writes, in milliseconds. */
const MAX_VIEW_WAIT_MS = 2_000;

/** The lock under which the ledger and the store are written. */
export function ledgerLockPath(configDir: string): string {
  return join(configDir, 'ledger.lock');
}

export type OpenedStore = Readonly<Awaited<ReturnType<typeof openStore>>>;

/**
 * Opens the store. Returns an empty store for a damaged file, whose path is then `damaged`: everything is recounted from the
 * remaining logs. `checksum` is that of the file that was read.
 */
export async function openStore(configDir: string, epoch: number) {
  const read = await readUsage(configDir);
  if (read !== null && read !== 'damaged') return { ...read, damaged: null };
  return { store: emptyStore(epoch), damaged: read === null ? null : usagePath(configDir), checksum: null };
}

/** Throws a `files` error for a damaged store: in a new epoch the counts of deleted logs in it would be lost at the service too. */
export function requireWhole(opened: OpenedStore): OpenedStore {
  if (opened.damaged === null) return opened;
  const message = `${opened.damaged} is damaged: the counts of deleted logs in it would be lost`;
  const hint = 'Restore it from a backup, or count only what the remaining logs have: upsilon recount --logs-only';
  throw new CliError('files', 'file_damaged', message, hint);
}

/**
 * As `saveStore`, for a command that only shows counts. Returns null, or why the counts are not kept, as a sentence: the settings
 * folder cannot be written, or another run holds the lock.
 */
export async function saveIfWritable(configDir: string, opened: OpenedStore): Promise<string | null> {
  try {
    await saveStore(configDir, opened, MAX_VIEW_WAIT_MS);
    return null;
  } catch (error) {
    if (!(error instanceof CliError) || !['file_unwritable', 'locked'].includes(error.code)) throw error;
    return `The counts are not kept, and the next run reads these logs again: ${error.message}.`;
  }
}

/** Writes the store, merged with what another run wrote in the meantime, and moves a damaged file aside. Nothing that either counted is lost. */
export async function saveStore(configDir: string, opened: OpenedStore, maxWaitMs?: number): Promise<void> {
  const save = async (): Promise<void> => {
    const { store } = opened;
    const current = await readUsage(configDir);
    if (current === 'damaged') await rename(usagePath(configDir), freePath(`${usagePath(configDir)}.damaged`));
    if (current === null || current === 'damaged' || current.checksum === opened.checksum) {
      return await writeUsage(configDir, store);
    }
    // Another run has recounted the same logs by newer rules in the meantime.
    if (current.store.epoch > store.epoch) return;
    await writeUsage(configDir, current.store.epoch < store.epoch ? store : joinStores(current.store, store));
  };
  await withLock(ledgerLockPath(configDir), save, maxWaitMs);
}

/** This path, or with a number the first one that is free. */
function freePath(path: string): string {
  let free = path;
  for (let number = 2; existsSync(free); number += 1) free = `${path}-${number}`;
  return free;
}

/** Merges a store's usages and files into another store. `passes` selects files of `from` by number. */
export function joinStores(
  into: UsageStore,
  from: UsageStore,
  passes: (file: number) => boolean = () => true,
): UsageStore {
  const numbers = fileNumbers(into.files);
  const files = from.files.map((file, number) => {
    const known = numbers.get(fileKey(file));
    if (known !== undefined) return known;
    if (!passes(number)) return -1;
    into.files.push(file);
    return into.files.length - 1;
  });
  const platforms = from.platforms.map((platform) => {
    if (!into.platforms.includes(platform)) into.platforms.push(platform);
    return into.platforms.indexOf(platform);
  });
  into.table.addTable(
    from.table,
    { file: (file) => files[file]!, platform: (platform) => platforms[platform]! },
    passes,
  );
  return into;
}

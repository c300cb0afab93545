import { existsSync } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
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

/**
 * As `openStore`, for what leads to a new epoch, in which the service drops the former totals. Throws a `files` error where the
 * store is damaged, and also later, as long as the copy is there that `saveStore` moved aside.
 */
export async function openWhole(configDir: string, epoch: number): Promise<OpenedStore> {
  const opened = await openStore(configDir, epoch);
  const [copy] = await damagedCopies(configDir);
  const path = opened.damaged ?? copy;
  if (path === undefined) return opened;
  const message = `${path} is damaged: usage whose logs were deleted may be only in it, and would be lost at the service too`;
  const hint =
    opened.damaged === null
      ? 'Restore usage.bin from a backup if there is one. Then, or to accept the loss, delete the damaged copy.'
      : 'Restore it from a backup, or accept the loss and count only what the remaining logs have: upsilon recount --logs-only';
  throw new CliError('files', 'file_damaged', message, hint);
}

/** The damaged stores that were moved aside. */
async function damagedCopies(configDir: string): Promise<readonly string[]> {
  const names = await readdir(configDir).catch(() => []);
  const copies = names.filter((name) => name.startsWith(`${basename(usagePath(configDir))}.damaged`));
  return copies.sort().map((name) => join(configDir, name));
}

/** Renames the damaged copies once the loss is accepted. One that cannot be renamed stays, and `openWhole` goes on to report it. */
export async function dropDamagedCopies(configDir: string): Promise<void> {
  for (const path of await damagedCopies(configDir)) {
    await rename(path, freePath(`${usagePath(configDir)}.dropped`)).catch(() => undefined);
  }
}

/**
 * As `saveStore`, for a command that only shows counts. Returns null, or why the counts are not kept, as a sentence: the settings
 * folder cannot be written, or another run holds the lock.
 */
export async function saveIfWritable(configDir: string, opened: OpenedStore): Promise<string | null> {
  try {
    await saveStore(configDir, opened, { maxWaitMs: MAX_VIEW_WAIT_MS });
    return null;
  } catch (error) {
    if (!(error instanceof CliError) || !['file_unwritable', 'locked'].includes(error.code)) throw error;
    return `The counts are not kept, and the next run reads these logs again: ${error.message}.`;
  }
}

/**
 * Writes the store, merged with what another run wrote in the meantime, and moves a damaged file aside. Nothing that either counted
 * is lost. Without `merges`, for what the logs alone do not repeat, throws a `files` error where another run wrote.
 */
export async function saveStore(
  configDir: string,
  opened: OpenedStore,
  { maxWaitMs, merges = true }: { readonly maxWaitMs?: number; readonly merges?: boolean } = {},
): Promise<void> {
  const path = usagePath(configDir);
  const save = async (): Promise<void> => {
    const { store } = opened;
    const current = await readUsage(configDir);
    if (current === 'damaged') {
      return await writeUsage(configDir, store, () => rename(path, freePath(`${path}.damaged`)));
    }
    if (current === null || current.checksum === opened.checksum) return await writeUsage(configDir, store);
    if (!merges) {
      throw new CliError('files', 'store_changed', `another run of this tool changed ${path}`, 'Run this again.');
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

import { rename } from 'node:fs/promises';
import { withLock } from '../files/lock.ts';
import { ledgerLockPath } from '../ledger/ledger.ts';
import { readUsage, usagePath, writeUsage } from './usage-file.ts';
import { emptyStore, fileName, fileNumbers, type UsageStore } from './usage-store.ts';

/** A store in memory, and what it was read from. */
export interface OpenedStore {
  readonly store: UsageStore;
  /** The path a damaged file was moved to, if it was. Null: there was no harm. */
  readonly damaged: string | null;
  /** The checksum of the file it was read from; null when there was none. */
  readonly checksum: number | null;
}

/**
 * Opens the store. A file that is not whole is not used; `write` says whether it may be moved out of the way. Then all is
 * counted anew from the logs that are left.
 */
export async function openStore(configDir: string, epoch: number, write: boolean): Promise<OpenedStore> {
  const read = await readUsage(configDir);
  if (read === null) return { store: emptyStore(epoch), damaged: null, checksum: null };
  if (read !== 'damaged') return { ...read, damaged: null };
  const path = usagePath(configDir);
  const aside = `${path}.damaged`;
  if (write) await rename(path, aside);
  return { store: emptyStore(epoch), damaged: write ? aside : path, checksum: null };
}

/** Writes the store; joins it with what another run wrote meanwhile. Nothing that either has counted is lost. */
export async function saveStore(configDir: string, opened: OpenedStore): Promise<void> {
  await withLock(ledgerLockPath(configDir), async () => {
    const { store } = opened;
    const current = await readUsage(configDir);
    if (current === null || current === 'damaged' || current.checksum === opened.checksum) {
      return await writeUsage(configDir, store);
    }
    // A recount in the meantime has counted the same logs by newer rules.
    if (current.store.epoch > store.epoch) return;
    await writeUsage(configDir, current.store.epoch < store.epoch ? store : joinStores(current.store, store));
  });
}

/** Adds one store's usages and files to another's. */
export function joinStores(
  into: UsageStore,
  from: UsageStore,
  passes: (file: number) => boolean = () => true,
): UsageStore {
  const numbers = fileNumbers(into.files);
  const files = from.files.map((file, number) => {
    const known = numbers.get(fileName(file.platform, file.path));
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

import fs from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Calls `onSync` before each fsync of this process while `work` runs. */
export async function withSyncs<T>(onSync: () => void, work: () => Promise<T>): Promise<T> {
  const handle = await open(process.execPath);
  const handles: Pick<FileHandle, 'sync'> = Object.getPrototypeOf(handle);
  await handle.close();
  const [{ sync }, { fsync }] = [handles, fs];
  handles.sync = function (): Promise<void> {
    onSync();
    return Reflect.apply(sync, this, []);
  };
  // Streams call it.
  fs.fsync = Object.assign((...args: Parameters<typeof fsync>) => {
    onSync();
    fsync(...args);
  }, fsync);
  try {
    return await work();
  } finally {
    handles.sync = sync;
    fs.fsync = fsync;
  }
}

import fs from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Runs the work, and `onSync` before each file that this process has the disk write down meanwhile. */
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

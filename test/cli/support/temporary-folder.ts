import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fresh folder's real path, for one test. */
export async function makeFolder(): Promise<string> {
  return await realpath(await mkdtemp(join(tmpdir(), 'upsilon-cli-test-')));
}

/** Registers a hook that gives every test of the enclosing suite a new folder. */
export function useFolder(): () => string {
  let folder = '';
  beforeEach(async () => {
    folder = await makeFolder();
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  return () => folder;
}

/** The names and contents of a folder's files. */
export async function contentsOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(folder);
  return new Map(
    await Promise.all(names.sort().map(async (name) => [name, await readFile(join(folder, name), 'latin1')] as const)),
  );
}

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export { useFolder } from '../../support/temporary-folder.ts';

/** The names and contents of a folder's files. */
export async function contentsOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(folder);
  return new Map(
    await Promise.all(names.sort().map(async (name) => [name, await readFile(join(folder, name), 'latin1')] as const)),
  );
}

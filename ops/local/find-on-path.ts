import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** The absolute path of the first of the programs found on the search path (`PATH`); null when none is. */
export async function findOnPath(programs: readonly string[], searchPath: string): Promise<string | null> {
  const folders = searchPath.split(delimiter).filter((folder) => folder.startsWith('/'));
  for (const program of programs) {
    for (const folder of folders) {
      const candidate = join(folder, program);
      if (await isExecutable(candidate)) return candidate;
    }
  }
  return null;
}

async function isExecutable(path: string): Promise<boolean> {
  return (await isAccessible(path, constants.X_OK)) && (await stat(path)).isFile();
}

/** Whether this process may access a path so (`constants` of `node:fs`). */
export function isAccessible(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

import { posix, win32 } from 'node:path';
import type { Environment } from '../environment.ts';

/** The path functions of the user's system. */
export function pathsOf(env: Environment): typeof posix {
  return env.os === 'win32' ? win32 : posix;
}

/** Subfolders of the folders in a variable, or else of one under the user's home. */
export function homePlaces(
  env: Environment,
  variable: string | undefined,
  underHome: readonly string[],
  folders: readonly string[],
): readonly string[] {
  const path = pathsOf(env);
  const homes = splitFolders(variable);
  const bases = homes.length > 0 ? homes.map((home) => path.resolve(home)) : [path.join(env.home, ...underHome)];
  return bases.flatMap((base) => folders.map((folder) => path.join(base, folder)));
}

/** The XDG data folder; tools that use it do so on every system. */
export function dataHome(env: Environment): string {
  const path = pathsOf(env);
  const xdg = env.xdgDataHome;
  return xdg !== undefined && path.isAbsolute(xdg) ? xdg : path.join(env.home, '.local', 'share');
}

/** The folders in a variable, separated by commas. */
function splitFolders(variable: string | undefined): readonly string[] {
  return (variable ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

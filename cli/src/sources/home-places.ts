import { posix, win32 } from 'node:path';
import type { Environment } from '../environment.ts';

interface HomeFolder {
  /** The variable that moves the folder: one or several folders, separated by commas. */
  readonly variable?: string;
  /** The folder under the user's home when the variable is not set. */
  readonly underHome: readonly string[];
  /** Its subfolders with logs. */
  readonly logs: readonly string[];
  /** The same in the folders of the variable, where they differ. */
  readonly movedLogs?: readonly string[];
}

/** The path functions of the user's system. */
export function pathsOf(env: Environment): typeof posix {
  return env.os === 'win32' ? win32 : posix;
}

/** Where a tool stores its logs under the user's home, or where its variables say. */
export function homePlaces(...folders: readonly HomeFolder[]): (env: Environment) => readonly string[] {
  return (env) =>
    folders.flatMap(({ variable, underHome, logs, movedLogs = logs }) => {
      const path = pathsOf(env);
      const moved = foldersIn(env, variable ?? '').map((folder) => path.resolve(folder));
      const [bases, subfolders] = moved.length > 0 ? [moved, movedLogs] : [[path.join(env.home, ...underHome)], logs];
      return bases.flatMap((base) => subfolders.map((folder) => path.join(base, folder)));
    });
}

/**
 * The project of a log by its records' working folders. A tool names the log's folder after the folder that it was started in, with
 * `-` for other signs: the working folder is within it, and may change. Without a match, the project is the working folder.
 */
export function openProjects(log: string): (cwd: string | null) => string | null {
  const names = new Set(log.split(/[\\/]/));
  const known = new Map<string | null, string | null>([[null, null]]);
  return (cwd) => {
    if (!known.has(cwd)) known.set(cwd, startFolder(cwd ?? '', names) ?? cwd);
    return known.get(cwd)!;
  };
}

/** The nearest folder around a working folder whose name, as tools write it, is among the names. */
function startFolder(cwd: string, names: ReadonlySet<string>): string | null {
  for (let folder = cwd; folder !== ''; folder = folder.replace(/[\\/]*[^\\/]*$/, '')) {
    if (names.has(folder.replace(/[^a-zA-Z0-9]/g, '-'))) return folder;
  }
  return null;
}

/** The folder of a tool in the XDG data folder, on every system, or where a variable says. */
export function dataFolder(env: Environment, tool: string, variable: string): string {
  const path = pathsOf(env);
  const moved = env.variable(variable);
  if (moved !== undefined) return path.resolve(moved);
  return path.join(xdgFolder(env, 'XDG_DATA_HOME', '.local', 'share'), tool);
}

/** A folder of the XDG specification, which requires that relative values be ignored. */
export function xdgFolder(env: Environment, variable: string, ...underHome: readonly string[]): string {
  const path = pathsOf(env);
  const xdg = env.variable(variable);
  return xdg !== undefined && path.isAbsolute(xdg) ? xdg : path.join(env.home, ...underHome);
}

/** The folder of applications' settings on Windows. */
export function appDataFolder(env: Environment): string {
  return env.variable('APPDATA') ?? pathsOf(env).join(env.home, 'AppData', 'Roaming');
}

/** The folders in a variable, separated by commas. */
export function foldersIn(env: Environment, variable: string): readonly string[] {
  const parts = (env.variable(variable) ?? '').split(',').map((each) => each.trim());
  return parts.filter((each) => each !== '');
}

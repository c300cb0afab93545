import { posix, win32 } from 'node:path';
import type { Environment } from '../environment.ts';

/** A variable that moves the logs of a tool: one or several folders, separated by commas. cli/README.md says who defines it. */
interface MovingVariable {
  readonly name: string;
  /** The subfolders with logs, where they differ from those of the folder that it moves. */
  readonly logs?: readonly string[];
}

interface LogFolder {
  /** The first of them that is set counts: those of the tool precede those that other counters made up. */
  readonly variables?: readonly MovingVariable[];
  /** The folder when none of them is set, under `base`: by default the user's home. Absent: there is no other. */
  readonly path?: readonly string[];
  readonly base?: (env: Environment) => string;
  /** Its subfolders with logs. */
  readonly logs: readonly string[];
}

/** The path functions of the user's system. */
export function pathsOf(env: Environment): typeof posix {
  return env.os === 'win32' ? win32 : posix;
}

/** Where a tool stores its logs, or where its variables say. */
export function logPlaces(...folders: readonly LogFolder[]): (env: Environment) => readonly string[] {
  return (env) =>
    folders.flatMap(({ variables = [], path: parts, base = ({ home }) => home, logs }) => {
      const path = pathsOf(env);
      const moved = variables.find(({ name }) => foldersIn(env, name).length > 0);
      const fixed = parts === undefined ? [] : [path.join(base(env), ...parts)];
      const bases = moved === undefined ? fixed : foldersIn(env, moved.name).map((folder) => path.resolve(folder));
      return bases.flatMap((each) => (moved?.logs ?? logs).map((folder) => path.join(each, folder)));
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

/** The XDG data folder, which tools use on every system. */
export function dataFolder(env: Environment): string {
  return xdgFolder(env, 'XDG_DATA_HOME', '.local', 'share');
}

/** A folder of the XDG specification, which requires that relative values be ignored. */
export function xdgFolder(env: Environment, variable: string, ...underHome: readonly string[]): string {
  const path = pathsOf(env);
  const xdg = env.variable(variable);
  return xdg !== undefined && path.isAbsolute(xdg) ? xdg : path.join(env.home, ...underHome);
}

/** The folder of applications' settings on the user's system. */
export function settingsFolder(env: Environment): string {
  const path = pathsOf(env);
  if (env.os === 'darwin') return path.join(env.home, 'Library', 'Application Support');
  return env.os === 'win32' ? appDataFolder(env) : xdgFolder(env, 'XDG_CONFIG_HOME', '.config');
}

/** The folder of applications' settings on Windows. */
export function appDataFolder(env: Environment): string {
  return env.variable('APPDATA') ?? pathsOf(env).join(env.home, 'AppData', 'Roaming');
}

/** The folder of applications' data on Windows that do not follow the user to other machines. */
export function localAppDataFolder(env: Environment): string {
  return env.variable('LOCALAPPDATA') ?? pathsOf(env).join(env.home, 'AppData', 'Local');
}

/** The folders in a variable, separated by commas. In a settings file no shell expands `~`. */
export function foldersIn(env: Environment, variable: string): readonly string[] {
  const parts = (env.variable(variable) ?? '').split(',').map((each) => each.trim());
  return parts.filter((each) => each !== '').map((each) => each.replace(/^~(?=[\\/]|$)/, () => env.home));
}

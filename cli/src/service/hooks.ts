import { randomUUID } from 'node:crypto';
import { chmod, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { CliError, reasonOf, reasonText } from '../cli-error.ts';
import type { Environment } from '../environment.ts';
import { isObject, type JsonObject, parseJson } from '../json.ts';
import { foldersIn, pathsOf } from '../sources/home-places.ts';

/** A tool that runs commands when a session ends, by its platform's name. */
interface HookTool {
  readonly platform: string;
  /** The file with its settings, of which `hooks.SessionEnd` lists groups of commands. */
  readonly settingsFile: (env: Environment) => string;
}

const HOOK_TOOLS: readonly HookTool[] = [
  {
    platform: 'claude-code',
    settingsFile: (env) => {
      const [moved] = foldersIn(env, 'CLAUDE_CONFIG_DIR');
      return pathsOf(env).join(moved ?? pathsOf(env).join(env.home, '.claude'), 'settings.json');
    },
  },
  {
    platform: 'gemini-cli',
    settingsFile: (env) => pathsOf(env).join(env.variable('GEMINI_CLI_HOME') ?? env.home, '.gemini', 'settings.json'),
  },
];

/** The platforms whose tools have hooks. */
export const HOOK_PLATFORMS: readonly string[] = HOOK_TOOLS.map(({ platform }) => platform);

const EVENT = 'SessionEnd';

/** A command for a shell, and the part of it by which it is recognized later. */
export interface HookCommand {
  readonly command: string;
  readonly mark: string;
}

/** A change of a tool's settings. */
export interface HookChange {
  readonly path: string;
  /** The text before; empty where there is no file. */
  readonly before: string;
  /** The new text. */
  readonly text: string;
}

/**
 * The changes after which a command is the only one of its service among the hooks of these platforms' tools, and with no platforms
 * among those of no tool.
 *
 * @throws CliError when other settings of a file would be lost, such as comments.
 */
export async function planHooks(
  { command, mark }: HookCommand,
  platforms: readonly string[],
  env: Environment,
): Promise<readonly HookChange[]> {
  const changes: HookChange[] = [];
  for (const { platform, settingsFile } of HOOK_TOOLS) {
    const isWanted = platforms.includes(platform);
    if (!isWanted && platforms.length > 0) continue;
    const path = settingsFile(env);
    const before = await readSettings(path);
    if (!isWanted && !before.includes(mark)) continue;
    const settings = before.trim() === '' ? {} : parseJson(before);
    if (!isObject(settings) || !hasHookLists(settings) || (before.trim() !== '' && !isKept(before, settings))) {
      const hint = `Change it by hand: the command among its ${EVENT} hooks is\n  ${command}`;
      const message = `${path} is not plain JSON of which everything else could be kept`;
      throw new CliError('files', 'hook_unwritable', message, hint);
    }
    const cleared = withoutHook(settings, mark);
    const changed = isWanted ? withHook(cleared, command) : cleared;
    if (JSON.stringify(changed) === JSON.stringify(settings)) continue;
    if (before === '') await requireFolder(pathsOf(env).dirname(path), platform);
    changes.push({ path, before, text: `${JSON.stringify(changed, null, indentOf(before))}\n` });
  }
  return changes;
}

/** Makes a change, atomically and where a link leads, without changing the mode of the file or what was written since it was planned. */
export async function changeHooks({ path, before, text }: HookChange): Promise<void> {
  if ((await readSettings(path)) !== before) {
    const hint = 'Run the same command again.';
    throw new CliError('files', 'hook_unwritable', `${path} was changed by another program in the meantime`, hint);
  }
  const target = await realpath(path).catch(() => path);
  const temporary = `${target}.${randomUUID()}.tmp`;
  try {
    const mode = (await stat(target).catch(() => null))?.mode ?? 0o600;
    await writeFile(temporary, text, { mode, flag: 'wx', flush: true });
    // A file is made without the bits of the umask.
    await chmod(temporary, mode & 0o7777);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new CliError('files', 'hook_unwritable', `${path} cannot be written: ${reasonText(reasonOf(error))}`);
  }
}

/** The group of hooks that is added. */
export function hookGroup(command: string) {
  return { hooks: [{ type: 'command', command }] };
}

/** The words of a command as one line for a shell. */
export function shellLine(words: readonly string[], os: NodeJS.Platform): string {
  const quoted = (word: string): string => (os === 'win32' ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`);
  return words.map((word) => (/^[\w./:=-]+$/.test(word) ? word : quoted(word))).join(' ');
}

async function readSettings(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (reasonOf(error) === 'ENOENT') return '';
    throw new CliError('files', 'hook_unwritable', `${path} cannot be read: ${reasonText(reasonOf(error))}`);
  }
}

async function requireFolder(folder: string, platform: string): Promise<void> {
  if ((await stat(folder).catch(() => null))?.isDirectory() === true) return;
  const hint = `Start ${platform} once, or leave the hook out.`;
  const message = `${platform} has no settings here: there is no folder ${folder}`;
  throw new CliError('files', 'hook_unwritable', message, hint);
}

/** Whether the members that hooks are in have their form, or do not exist. */
function hasHookLists({ hooks }: JsonObject): boolean {
  if (hooks === undefined) return true;
  return isObject(hooks) && (hooks[EVENT] === undefined || Array.isArray(hooks[EVENT]));
}

/** Whether a text that is written from its parsed value has the same members and values: no repeated members, no number that is rounded. */
function isKept(text: string, value: JsonObject): boolean {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[^\s"]+/g) ?? [];
  const written = tokens.map((token) => (token.startsWith('"') ? JSON.stringify(parseJson(token)) : token));
  return written.join('') === JSON.stringify(value);
}

function withHook(settings: JsonObject, command: string): JsonObject {
  const hooks = isObject(settings['hooks']) ? settings['hooks'] : {};
  return { ...settings, hooks: { ...hooks, [EVENT]: [...endGroups(settings), hookGroup(command)] } };
}

/** Takes the commands with a mark out, and the groups and members that then are empty. */
function withoutHook(settings: JsonObject, mark: string): JsonObject {
  const isOther = (hook: unknown): boolean => !(isObject(hook) && String(hook['command']).includes(mark));
  const groups = endGroups(settings).flatMap((group) => {
    if (!isObject(group) || !Array.isArray(group['hooks']) || group['hooks'].every(isOther)) return [group];
    const hooks = group['hooks'].filter(isOther);
    return hooks.length === 0 ? [] : [{ ...group, hooks }];
  });
  const events = isObject(settings['hooks']) ? settings['hooks'] : {};
  const hooks = groups.length === 0 ? without(events, EVENT) : { ...events, [EVENT]: groups };
  return Object.keys(hooks).length === 0 ? without(settings, 'hooks') : { ...settings, hooks };
}

function without(members: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([each]) => each !== name));
}

function endGroups({ hooks }: JsonObject): readonly unknown[] {
  const groups = isObject(hooks) ? hooks[EVENT] : undefined;
  return Array.isArray(groups) ? groups : [];
}

/** The indentation of a JSON text; two spaces when it has none. */
function indentOf(text: string): string {
  return /^[ \t]+/m.exec(text)?.[0] ?? '  ';
}

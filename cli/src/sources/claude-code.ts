import type { Counts } from '../../../engine/contract/signing/index.ts';
import type { Environment } from '../environment.ts';
import { isObject, type JsonObject, textOf } from '../json.ts';
import { fourCounts, hasNoTokens, member, moment, required } from './fields.ts';
import { foldersIn, localAppDataFolder, openProjects, pathsOf, settingsFolder, xdgFolder } from './home-places.ts';
import { readJsonLines } from './read-json.ts';
import type { Origin, Source, UsageRecord, UsageSink } from './source.ts';

/** Folders of a Claude Code home that can hold session logs. */
const LOG_FOLDERS = ['projects', 'transcripts'];

/** The desktop application in Microsoft's store. */
const STORE_PACKAGE = 'Claude_pzs8sxrjxfjjc';

/** The log of a sub-agent, which begins with messages of the main thread in some versions. */
const SUB_AGENT_LOG = /[\\/]agent-[^\\/]*\.jsonl$/;

/** The model name of messages that Claude Code itself writes. */
const SYNTHETIC_MODEL = '<synthetic>';

/** The beginning of a message of a user or a tool, after its name. These contain no usage and are most of a log. */
const MESSAGE = '"message":';
const USER_MESSAGE = `${MESSAGE}{"role":"user"`;

/** The type of the parts of a usage that its other members sum; those of these types they do not. */
const SUMMED_PART = 'message';
const OTHER_PARTS: ReadonlySet<string> = new Set(['advisor_message', 'compaction']);

/** Claude Code: one JSON object per line in `*.jsonl` under its projects folder, with sub-agents' files in subfolders. */
export const claudeCode: Source = {
  platform: 'claude-code',
  title: 'Claude Code',
  counting: 'exact',
  mapping:
    'message.usage: input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens, and those of its ' +
    'iterations that are no messages.',
  version: 3,
  places: (env) => [...new Set(placesOf(env))],
  // `rollout-*` files are Codex's, which may be in the same `--source-dir`.
  isLog: (path) => path.endsWith('.jsonl') && !/[\\/]rollout-[^\\/]*$/.test(path),
  read: (path, sink) => {
    const isSubAgent = SUB_AGENT_LOG.test(path);
    const projectOf = openProjects(path);
    readJsonLines(path, sink, select, (entry) => readRecord(entry, isSubAgent, projectOf, sink));
  },
};

/**
 * The log folders of Claude Code. CLAUDE_CONFIG_DIR replaces the defaults and may contain several folders, separated by
 * commas, each a home or its `projects`. The defaults are the XDG place and `~/.claude`, because versions differ, and the folder in
 * which the desktop application stores the logs of its agent sessions; its package of Microsoft's store has another one.
 */
function placesOf(env: Environment): readonly string[] {
  const path = pathsOf(env);
  const logFolders = (home: string) => LOG_FOLDERS.map((folder) => path.join(home, folder));
  if (env.variable('CLAUDE_CONFIG_DIR') !== undefined) {
    const homes = foldersIn(env, 'CLAUDE_CONFIG_DIR').map((home) => path.resolve(home));
    return homes.flatMap((home) => (path.basename(home) === 'projects' ? [home] : logFolders(home)));
  }
  const xdg = xdgFolder(env, 'XDG_CONFIG_HOME', '.config');
  const places = [path.join(xdg, 'claude'), path.join(env.home, '.claude')].flatMap(logFolders);
  const store = path.join(localAppDataFolder(env), 'Packages', STORE_PACKAGE, 'LocalCache', 'Roaming');
  const desktops = env.os === 'win32' ? [settingsFolder(env), store] : [settingsFolder(env)];
  return [...places, ...desktops.map((folder) => path.join(folder, 'Claude', 'local-agent-mode-sessions'))];
}

/** Whether a line may be a model's message. JSON escapes quotes within text, so these texts occur only as names and values. */
function select(line: string): boolean {
  // The first nested object of the line: text or another object cannot be mistaken for it.
  if (line.startsWith(USER_MESSAGE, line.indexOf('{', 1) - MESSAGE.length)) return false;
  return line.includes('"usage"') && line.includes('"assistant"');
}

/** Reads one record of a log, if it is a model's message. */
function readRecord(
  entry: JsonObject,
  isSubAgent: boolean,
  projectOf: (cwd: string | null) => string | null,
  sink: UsageSink,
): void {
  const message = member(entry, 'message');
  const usage = message?.['usage'];
  if (entry['type'] !== 'assistant' || message === null || !isObject(usage)) return;
  if (message['model'] === SYNTHETIC_MODEL) return sink.skip('synthetic');
  const counts = countsOf(usage);
  if (counts === null) return sink.skip('invalid_counts');
  const id = textOf(message['id']);
  const request = textOf(entry['requestId']);
  const identity = id === null ? fallbackIdentity(request, textOf(entry['uuid'])) : `message ${id}`;
  if (identity === null) return sink.skip('no_identity');
  // Sub-agents' records copy messages of the main thread, sometimes with another request id or other counts.
  const isCopy = isSubAgent || entry['isSidechain'] === true;
  const at = moment(entry['timestamp']);
  const session = textOf(entry['sessionId']);
  const origin = { model: textOf(message['model']), project: projectOf(textOf(entry['cwd'])), session };
  const record = { request: id === null ? null : request, isCopy, at, origin };
  sink.add({ ...record, keys: [identity], counts });
  addParts(usage['iterations'], { ...record, identity }, sink);
}

/** Adds the parts of a message that its usage does not sum: requests of their own, perhaps to another model. */
function addParts(
  parts: unknown,
  {
    identity,
    origin,
    ...record
  }: Omit<UsageRecord, 'keys' | 'counts' | 'origin'> & { identity: string; origin: Origin },
  sink: UsageSink,
): void {
  for (const [index, part] of (Array.isArray(parts) ? parts : []).entries()) {
    const type = isObject(part) ? textOf(part['type']) : null;
    if (!isObject(part) || type === null || type === SUMMED_PART) continue;
    if (!OTHER_PARTS.has(type)) sink.skip('unknown_type');
    const counts = countsOf(part);
    const model = textOf(part['model']) ?? origin.model;
    if (counts === null) sink.skip('invalid_counts');
    else if (!hasNoTokens(counts))
      sink.add({ ...record, keys: [`${identity} ${index} ${type}`], counts, origin: { ...origin, model } });
  }
}

/** `input_tokens` excludes cache reads and writes. */
function countsOf(usage: JsonObject): Counts | null {
  return fourCounts(
    required(usage['input_tokens']),
    required(usage['output_tokens']),
    usage['cache_read_input_tokens'],
    usage['cache_creation_input_tokens'],
  );
}

/** A record without a message id is identified by its request, else by its uuid, which copies of it keep. */
function fallbackIdentity(request: string | null, uuid: string | null): string | null {
  if (request !== null) return `request ${request}`;
  return uuid === null ? null : `line ${uuid}`;
}

import { basename, dirname } from 'node:path';
import type { Platform } from '../../../engine/contract/platforms.ts';
import type { Environment } from '../environment.ts';
import { isObject, parseJson } from '../json.ts';
import { isSession, readSession, sessionPlaces } from './cline-sessions.ts';
import { addUsage, fourCounts, moment } from './fields.ts';
import { pathsOf, settingsFolder } from './home-places.ts';
import { readJsonFile } from './read-json.ts';
import type { Source, UsageSink } from './source.ts';

/** Folder names of the editors that store these extensions' data. */
const EDITORS = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'];

/** Cline, and the extensions that are forks of it. */
export const clineFamily = {
  cline: cline(),
  'roo-code': extension('roo-code', 'Roo Code', 'rooveterinaryinc.roo-cline'),
  'kilo-code': extension('kilo-code', 'Kilo Code', 'kilocode.kilo-code'),
} satisfies Partial<Record<Platform, Source>>;

/** Cline, whose version 4 stores sessions for all editors in one place. */
function cline(): Source {
  const source = extension('cline', 'Cline', 'saoudrizwan.claude-dev');
  return {
    ...source,
    counting: 'derived',
    mapping:
      'metrics in messages.json (since version 4): inputTokens minus cacheReadTokens and cacheWriteTokens, outputTokens, ' +
      `cacheReadTokens, cacheWriteTokens. Before: ${source.mapping}`,
    places: (env) => [...sessionPlaces(env), ...source.places(env)],
    isLog: (path) => source.isLog(path) || isSession(path),
    read: (path, sink) => (isSession(path) ? readSession(path, sink) : source.read(path, sink)),
  };
}

/** One of the extensions: one JSON document per task, with each request's usage as JSON within text. */
function extension(platform: Platform, title: string, id: string): Source {
  return {
    platform,
    title,
    counting: 'exact',
    mapping:
      'api_req_started in ui_messages.json: tokensIn, tokensOut, cacheReads, cacheWrites. Whether tokensIn includes cached ' +
      'tokens depends on the provider and is not recorded: it is taken as it is.',
    version: 1,
    places: (env) => editorPlaces(env, id),
    // In a `--source-dir`, only the extension's folder shows whose task it is.
    isLog: (path) => basename(path) === 'ui_messages.json' && path.includes(id),
    read: readTask,
  };
}

function editorPlaces(env: Environment, id: string): readonly string[] {
  const path = pathsOf(env);
  const storage = ['User', 'globalStorage', id, 'tasks'];
  const server = path.join(env.home, '.vscode-server', 'data', ...storage);
  return [...EDITORS.map((editor) => path.join(settingsFolder(env), editor, ...storage)), server];
}

function readTask(path: string, sink: UsageSink): void {
  const messages = readJsonFile(path, sink);
  if (!Array.isArray(messages)) return;
  const task = basename(dirname(path));
  for (const message of messages) {
    if (!isObject(message) || message['say'] !== 'api_req_started' || typeof message['text'] !== 'string') continue;
    const usage = parseJson(message['text']);
    const at = moment(message['ts']);
    if (!isObject(usage)) sink.skip('not_json');
    else {
      const { tokensIn, tokensOut, cacheReads, cacheWrites } = usage;
      const counts = fourCounts(tokensIn, tokensOut, cacheReads, cacheWrites);
      const origin = { model: null, project: null, session: task };
      addUsage(sink, counts, [at === null ? null : `request ${task} ${at}`], at, origin);
    }
  }
}

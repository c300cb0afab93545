import { basename, dirname } from 'node:path';
import type { Platform } from '../../../engine/contract/platforms.ts';
import type { Environment } from '../environment.ts';
import { isObject, parseJson } from '../json.ts';
import { addUsage, fourCounts, moment } from './fields.ts';
import { logPlaces, pathsOf, settingsFolder } from './home-places.ts';
import { readJsonFile } from './read-json.ts';
import { type Source, UnreadLogError, type UsageSink } from './source.ts';

/** Folder names of the editors that store these extensions' data. */
const EDITORS = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'];

const SESSION = '.messages.json';

const sessionPlaces = logPlaces({
  variables: [
    { name: 'CLINE_SESSION_DATA_DIR', logs: ['.'] },
    { name: 'CLINE_DATA_DIR' },
    { name: 'CLINE_DIR', logs: ['data/sessions'] },
  ],
  path: ['.cline', 'data'],
  logs: ['sessions'],
});

/** Cline, and the extensions that are forks of it. */
export const clineFamily = {
  cline: cline(),
  'roo-code': extension('roo-code', 'Roo Code', 'rooveterinaryinc.roo-cline'),
  'kilo-code': extension('kilo-code', 'Kilo Code', 'kilocode.kilo-code'),
} satisfies Partial<Record<Platform, Source>>;

/** Cline also stores sessions of its version 4 and its command-line tool, which are named and not read. */
function cline(): Source {
  const source = extension('cline', 'Cline', 'saoudrizwan.claude-dev');
  return {
    ...source,
    places: (env) => [...sessionPlaces(env), ...source.places(env)],
    isLog: (path) => source.isLog(path) || isSession(path),
    read: (path, sink) => {
      if (isSession(path)) throw new UnreadLogError('NEWER_FORMAT');
      return source.read(path, sink);
    },
  };
}

function isSession(path: string): boolean {
  return path.endsWith(SESSION) && basename(path).startsWith(basename(dirname(path)));
}

/** One of the extensions: one JSON document per task, with each request's usage as JSON within text. */
function extension(platform: Platform, title: string, id: string): Source {
  return {
    platform,
    title,
    support: 'experimental',
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

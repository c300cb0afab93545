import { basename, dirname } from 'node:path';
import type { Environment } from '../../environment.ts';
import { isObject } from '../../json.ts';
import { readJsonFile } from '../../scan/read-json-file.ts';
import { fourCounts, hasAnyTokens, moment } from '../fields.ts';
import { pathsOf } from '../home-places.ts';
import type { Platform } from '../platforms.ts';
import type { Source, UsageSink } from '../source.ts';

/** Folder names of the editors that store these extensions' data. */
const EDITORS = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'];

/** Cline: the extension that the other two are forks of. */
export const cline: Source = member('cline', 'Cline', 'saoudrizwan.claude-dev');
export const rooCode: Source = member('roo-code', 'Roo Code', 'rooveterinaryinc.roo-cline');
export const kiloCode: Source = member('kilo-code', 'Kilo Code', 'kilocode.kilo-code');

/** One of the extensions: one JSON document per task, with each request's usage as JSON within text. */
function member(platform: Platform, title: string, extension: string): Source {
  return {
    platform,
    title,
    support: 'experimental',
    counting: 'exact',
    mapping:
      'api_req_started in ui_messages.json: tokensIn, tokensOut, cacheReads, cacheWrites. Whether tokensIn includes cached ' +
      'tokens depends on the provider and is not recorded: it is taken as it is.',
    version: 1,
    places: (env) => editorPlaces(env, extension),
    // In a `--source-dir`, only the extension's folder shows whose task it is.
    isLog: (path) => basename(path) === 'ui_messages.json' && path.includes(extension),
    read: readTask,
  };
}

function editorPlaces(env: Environment, extension: string): readonly string[] {
  const path = pathsOf(env);
  const storage = ['User', 'globalStorage', extension, 'tasks'];
  const server = path.join(env.home, '.vscode-server', 'data', ...storage);
  return [...EDITORS.map((editor) => path.join(settingsHome(env), editor, ...storage)), server];
}

/** The parent folder of the editors' settings. */
function settingsHome(env: Environment): string {
  const path = pathsOf(env);
  if (env.os === 'darwin') return path.join(env.home, 'Library', 'Application Support');
  if (env.os === 'win32') return env.appData ?? path.join(env.home, 'AppData', 'Roaming');
  return env.xdgConfigHome ?? path.join(env.home, '.config');
}

function readTask(path: string, sink: UsageSink): void {
  const messages = readJsonFile(path, sink);
  if (!Array.isArray(messages)) return;
  const task = basename(dirname(path));
  for (const message of messages) {
    if (!isObject(message) || message['say'] !== 'api_req_started' || typeof message['text'] !== 'string') continue;
    const usage = parse(message['text']);
    if (usage === null) {
      sink.skip('not_json');
      continue;
    }
    const counts = fourCounts(usage['tokensIn'], usage['tokensOut'], usage['cacheReads'], usage['cacheWrites']);
    const at = moment(message['ts']);
    if (counts === null) sink.skip('invalid_counts');
    else if (at === null) sink.skip('no_identity');
    else if (hasAnyTokens(counts)) sink.add({ keys: [`request ${task} ${at}`], request: null, counts, at });
  }
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

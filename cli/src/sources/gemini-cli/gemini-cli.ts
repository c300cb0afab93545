import type { Counts } from '../../../../engine/contract/signing/index.ts';
import { isObject } from '../../json.ts';
import { readJsonFile } from '../../scan/read-json-file.ts';
import { readJsonLines } from '../../scan/read-json-lines.ts';
import { count, isAny, member, moment, optionalCount, text } from '../fields.ts';
import { homePlaces } from '../home-places.ts';
import type { Source, UsageSink } from '../source.ts';

const TOKENS = Buffer.from('"tokens"');

/**
 * Gemini CLI: a JSON document a session, or since 2026 one JSON object a line, in the `chats` folder of each project.
 * Records that are taken back (`$rewindTo`) are written nowhere else: their tokens were spent and count.
 */
export const geminiCli: Source = {
  platform: 'gemini-cli',
  title: 'Gemini CLI',
  standing: 'verified',
  counting: 'derived',
  mapping:
    'tokens: input minus cached plus tool (unless total shows that cached is not, or tool is, within input), output plus ' +
    'thoughts, cached. There are no cache writes.',
  version: 1,
  // GEMINI_CLI_HOME stands for the user's home, in which the tool makes its folder.
  places: (env) =>
    env.geminiHome === undefined
      ? homePlaces(env, undefined, ['.gemini'], ['tmp'])
      : homePlaces(env, env.geminiHome, [], ['.gemini', '.']),
  isLog: (path) => /[\\/]chats[\\/](.*[\\/])?[^\\/]+\.jsonl?$/.test(path) && !/[\\/]projects[\\/]/.test(path),
  read: readGemini,
};

function readGemini(path: string, sink: UsageSink): void {
  if (path.endsWith('.jsonl')) {
    let session: string | null = null;
    readJsonLines(path, sink, {
      mayMatter: (line) => line.includes(TOKENS) || (session === null && line.includes('"sessionId"')),
      visit: (entry) => {
        session ??= text(entry['sessionId']);
        readMessage(entry, session, sink);
      },
    });
    return;
  }
  const document = readJsonFile(path, sink);
  if (!isObject(document) || !Array.isArray(document['messages'])) return;
  for (const message of document['messages']) {
    if (isObject(message)) readMessage(message, text(document['sessionId']), sink);
  }
}

function readMessage(message: Readonly<Record<string, unknown>>, session: string | null, sink: UsageSink): void {
  const tokens = member(message, 'tokens');
  if (message['type'] !== 'gemini' || tokens === null) return;
  const counts = readCounts(tokens);
  if (counts === null) return sink.skip('invalid_counts');
  if (!isAny(counts)) return;
  const id = text(message['id']);
  const at = moment(message['timestamp']);
  if (id === null && (session === null || at === null)) return sink.skip('no_identity');
  // Ids are random; where an old version gave none, the session and the time tell.
  sink.add({ keys: [id === null ? `at ${session} ${at}` : `message ${id}`], request: null, counts, at });
}

/**
 * By the definition of the Gemini API, `cached` is within `input` and `tool` beside it, and `total` is the sum of the rest.
 * Some gateways count otherwise; the total shows it.
 */
function readCounts(tokens: Readonly<Record<string, unknown>>): Counts | null {
  const input = count(tokens['input']);
  const output = count(tokens['output']);
  const cached = optionalCount(tokens['cached']);
  const thoughts = optionalCount(tokens['thoughts']);
  const tool = optionalCount(tokens['tool']);
  if (input === null || output === null || cached === null || thoughts === null || tool === null) return null;
  const total = count(tokens['total']);
  const sum = input + output + thoughts;
  const cachedApart = cached > 0 && total === sum + tool + cached;
  const toolWithin = tool > 0 && total === sum;
  return {
    input: Math.max(0, input - (cachedApart ? 0 : cached)) + (toolWithin ? 0 : tool),
    output: output + thoughts,
    cache_read: cached,
    cache_write: 0,
  };
}

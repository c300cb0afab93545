import type { Counts } from '../../../../engine/contract/signing/index.ts';
import { isObject } from '../../json.ts';
import { readJsonFile } from '../../scan/read-json-file.ts';
import { readJsonLines } from '../../scan/read-json-lines.ts';
import { count, hasAnyTokens, member, moment, optionalCount, text } from '../fields.ts';
import { homePlaces } from '../home-places.ts';
import type { Source, UsageSink } from '../source.ts';

const TOKENS = Buffer.from('"tokens"');

/**
 * Gemini CLI: one JSON document per session, or since 2026 one JSON object per line, in the `chats` folder of each project.
 * Rewound records (`$rewindTo`) count: their tokens were spent.
 */
export const geminiCli: Source = {
  platform: 'gemini-cli',
  title: 'Gemini CLI',
  support: 'stable',
  counting: 'derived',
  mapping:
    'tokens: input minus cached plus tool (unless total shows that input excludes cached, or includes tool), output plus ' +
    'thoughts, cached. There are no cache writes.',
  version: 1,
  // GEMINI_CLI_HOME replaces the user's home, in which the tool creates its folder.
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
  if (!hasAnyTokens(counts)) return;
  const id = text(message['id']);
  const at = moment(message['timestamp']);
  if (id === null && (session === null || at === null)) return sink.skip('no_identity');
  // Ids are random; old versions wrote none, so the session and the time identify the message.
  sink.add({ keys: [id === null ? `at ${session} ${at}` : `message ${id}`], request: null, counts, at });
}

/**
 * In the Gemini API `input` includes `cached` and excludes `tool`, and `total` is the sum of input, output, thoughts and tool.
 * Some gateways count differently, which the total shows.
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
  const excludesCached = cached > 0 && total === sum + tool + cached;
  const includesTool = tool > 0 && total === sum;
  return {
    input: Math.max(0, input - (excludesCached ? 0 : cached)) + (includesTool ? 0 : tool),
    output: output + thoughts,
    cache_read: cached,
    cache_write: 0,
  };
}

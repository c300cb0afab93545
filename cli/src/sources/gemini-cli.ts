import type { Counts } from '../../../engine/contract/signing/index.ts';
import { isObject, type JsonObject, textOf } from '../json.ts';
import { addUsage, count, hasNoTokens, member, moment, readCounts, required } from './fields.ts';
import { logPlaces } from './home-places.ts';
import { containing, readJsonFile, readJsonLines } from './read-json.ts';
import type { Origin, Source, UsageSink } from './source.ts';

const hasTokens = containing('"tokens"');
const hasSession = containing('"sessionId"');

/**
 * Gemini CLI: one JSON document per session, or since 2026 one JSON object per line, in the `chats` folder of each project.
 * Rewound records (`$rewindTo`) count: their tokens were spent.
 */
export const geminiCli: Source = {
  platform: 'gemini-cli',
  title: 'Gemini CLI',
  counting: 'derived',
  mapping:
    'tokens: input minus cached plus tool (unless total shows that input excludes cached, or includes tool), output plus ' +
    'thoughts, cached. There are no cache writes.',
  version: 2,
  // GEMINI_CLI_HOME replaces the user's home, in which the tool creates its folder.
  places: logPlaces({
    variables: [{ name: 'GEMINI_CLI_HOME', logs: ['.gemini', '.'] }],
    path: ['.gemini'],
    logs: ['tmp'],
  }),
  isLog: (path) => /[\\/]chats[\\/](.*[\\/])?[^\\/]+\.jsonl?$/.test(path) && !/[\\/]projects[\\/]/.test(path),
  read: (path, sink) => (path.endsWith('.jsonl') ? readLog(path, sink) : readDocument(path, sink)),
};

function readLog(path: string, sink: UsageSink): void {
  let session: string | null = null;
  const project = projectOf(path);
  const select = (line: string) => hasTokens(line) || (session === null && hasSession(line));
  /** The last record of each message: an earlier one may be without its cached tokens, which are part of `input`. */
  const messages = new Map<unknown, JsonObject>();
  readJsonLines(path, sink, select, (entry) => {
    session ??= textOf(entry['sessionId']);
    const { id, type, timestamp, model, tokens } = entry;
    if (isObject(tokens)) messages.set(id ?? tokens, { id, type, timestamp, model, tokens });
  });
  for (const message of messages.values()) readMessage(message, { session, project }, sink);
}

function readDocument(path: string, sink: UsageSink): void {
  const document = readJsonFile(path, sink);
  if (!isObject(document) || !Array.isArray(document['messages'])) return;
  const session = textOf(document['sessionId']);
  const project = projectOf(path);
  for (const message of document['messages'].filter(isObject)) readMessage(message, { session, project }, sink);
}

/** The tool's name for the project: of its folder, of which `chats` is a part. */
function projectOf(path: string): string | null {
  return /[\\/]([^\\/]+)[\\/]chats[\\/]/.exec(path)?.[1] ?? null;
}

function readMessage(message: JsonObject, origin: Omit<Origin, 'model'>, sink: UsageSink): void {
  const { session } = origin;
  const tokens = member(message, 'tokens');
  if (message['type'] !== 'gemini' || tokens === null) return;
  const counts = countsOf(tokens);
  if (hasNoTokens(counts)) return;
  const id = textOf(message['id']);
  const at = moment(message['timestamp']);
  // Ids are random; old versions wrote none, so the session and the time identify the message.
  const time = session === null || at === null ? null : `at ${session} ${at}`;
  addUsage(sink, counts, [id === null ? time : `message ${id}`], at, { ...origin, model: textOf(message['model']) });
}

/**
 * In the Gemini API `input` includes `cached` and excludes `tool`, and `total` is the sum of input, output, thoughts and tool.
 * Some gateways count differently, which the total shows.
 */
function countsOf(tokens: JsonObject): Counts | null {
  const read = readCounts(
    required(tokens['input']),
    required(tokens['output']),
    tokens['cached'],
    tokens['thoughts'],
    tokens['tool'],
  );
  if (read === null) return null;
  const [input, output, cached, thoughts, tool] = read;
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

import { basename } from 'node:path';
import { isObject, type JsonObject, parseJson, textOf } from '../json.ts';
import { addUsage, fourCounts, hasNoTokens, member, moment } from './fields.ts';
import { logPlaces } from './home-places.ts';
import { containing, readJsonLines } from './read-json.ts';
import type { Source, UsageSink } from './source.ts';

const select = containing('"usage"', '"model_change"', '"model-snapshot"', '"session"');

/** Sessions, also ended ones, and those that a migration to the database archived. */
const LOG = /[\\/]agents[\\/][^\\/]+[\\/](sessions|session-sqlite-import-archive)[\\/][^\\/]+\.jsonl(\.[^\\/]*)?$/;
const DATABASE = 'openclaw-agent.sqlite';

/** The start of the keys of messages that repeat a turn of Codex, which its own logs contain in full. */
const CODEX_MIRROR = 'codex-app-server:';

/** OpenClaw: events of a session, one JSON object per line, or in a SQLite database for each agent (2026). */
export const openclaw: Source = {
  platform: 'openclaw',
  title: 'OpenClaw',
  counting: 'exact',
  mapping:
    'message.usage of assistants: input, output, cacheRead, cacheWrite. Turns that OpenClaw runs through Codex are ' +
    "counted from Codex's logs.",
  version: 2,
  places: logPlaces(
    { variables: [{ name: 'OPENCLAW_STATE_DIR' }], path: ['.openclaw'], logs: ['agents'] },
    { path: ['.clawdbot'], logs: ['agents'] },
    { path: ['.moltbot'], logs: ['agents'] },
  ),
  isLog: (path) => basename(path) === DATABASE || LOG.test(path),
  companions: (path) => (basename(path) === DATABASE ? [`${path}-wal`] : []),
  read: async (path, sink) => {
    const reader = new EventReader(sink);
    if (basename(path) === DATABASE) return readDatabase(path, reader, sink);
    const [session = ''] = basename(path).split('.jsonl');
    readJsonLines(path, sink, select, (entry) => reader.read(entry, session, null));
  },
};

async function readDatabase(path: string, reader: EventReader, sink: UsageSink): Promise<void> {
  const { readTables } = await import('./read-tables.ts');
  const visit = ([session, text, created]: readonly unknown[]): void => {
    const event = typeof text === 'string' ? parseJson(text) : undefined;
    if (isObject(event)) reader.read(event, textOf(session), moment(created));
    else sink.skip('not_json');
  };
  await readTables(path, [{ table: 'transcript_events', columns: ['session_id', 'event_json', 'created_at'], visit }]);
}

/** Reads the events of sessions, in their order. */
class EventReader {
  readonly #sink: UsageSink;
  /** The present model of each session: messages of some versions do not name theirs. */
  readonly #models = new Map<string | null, string>();
  /** The folder that each session began in. */
  readonly #projects = new Map<string | null, string>();

  constructor(sink: UsageSink) {
    this.#sink = sink;
  }

  /** Reads one event; `stored` is when it was stored, in milliseconds since the epoch. */
  read(event: JsonObject, session: string | null, stored: number | null): void {
    const isSnapshot = event['customType'] === 'model-snapshot';
    if (isSnapshot || event['type'] === 'model_change') {
      const model = textOf((isSnapshot ? member(event, 'data') : event)?.['modelId']);
      if (model !== null) this.#models.set(session, model);
    } else if (event['type'] === 'session') {
      const project = textOf(event['cwd']);
      if (project !== null) this.#projects.set(session, project);
    } else if (event['type'] === 'message') this.#readMessage(event, session, stored);
  }

  #readMessage(event: JsonObject, session: string | null, stored: number | null): void {
    const message = member(event, 'message');
    const usage = member(message, 'usage');
    if (message?.['role'] !== 'assistant' || usage === null) return;
    if (textOf(message['idempotencyKey'])?.startsWith(CODEX_MIRROR) === true) return;
    const counts = fourCounts(usage['input'], usage['output'], usage['cacheRead'], usage['cacheWrite']);
    if (hasNoTokens(counts)) return;
    // A migration and a fork copy events with their ids, times and counts; the time of storage differs.
    const at = moment(message['timestamp']);
    const id = textOf(event['id']);
    const copied = `${at ?? ''} ${Object.values(counts ?? {}).join(' ')}`;
    const keys = [id === null ? null : `event ${id} ${copied}`, at === null ? null : `at ${copied}`];
    const model = textOf(message['model']) ?? this.#models.get(session) ?? null;
    const time = at ?? moment(event['timestamp']) ?? stored;
    addUsage(this.#sink, counts, keys, time, { model, project: this.#projects.get(session) ?? null, session });
  }
}

import type { Counts } from '../../../engine/contract/signing/index.ts';
import { isObject, type JsonObject, textOf } from '../json.ts';
import { addUsage, hasNoTokens, member, moment, readCounts } from './fields.ts';
import type { UsageSink } from './source.ts';

/** Events of a replayed history are written at once; turns of a model are seconds apart. In milliseconds. */
const REPLAY_PAUSE_MS = 1_000;

/** Codex's counts: `input` includes cached tokens, `output` includes reasoning. */
type CodexUsage = readonly [input: number, cached: number, cacheWrite: number, output: number, reasoning: number];

/** A usage event: what it adds, and the counts that identify it. */
interface UsageEvent {
  readonly at: number | null;
  readonly added: CodexUsage;
  readonly tuple: string;
}

/**
 * One rollout file. `token_count` events carry a running total and the last request's usage. An event adds the growth of the
 * total, which includes requests without an event, and nothing when it repeats a total.
 *
 * Forks and sub-agents begin with a replay of their parent session: with its times, or with times rewritten to the moment of
 * the fork. An event is therefore identified by its time and counts, by its session and counts, and in a fork by the parent
 * session and counts: an event of another file with any of these keys is the same event. Where the parent's file was deleted,
 * the times still identify a replay: before the fork began, or in one burst.
 */
export class CodexSession {
  readonly #sink: UsageSink;
  #id: string | null = null;
  #parent: string | null = null;
  #startedAt: number | null = null;
  #total: CodexUsage | null = null;
  /** The totals so far, as text: a repeated total is a repeated event, not a counter reset. */
  readonly #totals = new Set<string>();
  /** The first events of a fork, buffered until it is known whether they are a burst; null afterwards. */
  #leading: UsageEvent[] | null = null;
  /** Requests that may have compacted the session's context, by response id, until an event counts them. */
  readonly #responses = new Map<string, UsageEvent>();
  #lastResponse: string | null = null;

  constructor(sink: UsageSink) {
    this.#sink = sink;
  }

  visit(entry: JsonObject): void {
    const payload = member(entry, 'payload');
    if (payload === null) return;
    const at = moment(entry['timestamp']);
    switch (entry['type']) {
      case 'session_meta':
        return this.#begin(payload, at);
      case 'event_msg':
        return payload['type'] === 'token_count' ? this.#tokenCount(payload, at) : undefined;
      case 'token_usage_record':
        return this.#noteResponse(payload, at);
      case 'compacted':
        return this.#compacted(payload);
      default:
    }
  }

  /** Counts what is still buffered. */
  end(): void {
    const buffered = this.#leading ?? [];
    this.#leading = null;
    // A single event is not a burst.
    if (buffered.length === 1) this.#count(buffered[0]!);
  }

  /** The first meta is of the file's session; those after it are of replayed sessions. */
  #begin(payload: JsonObject, at: number | null): void {
    if (this.#id !== null) return;
    this.#id = textOf(payload['id']);
    const spawn = member(member(member(payload, 'source'), 'subagent'), 'thread_spawn');
    const parent = textOf(payload['forked_from_id']) ?? textOf(spawn?.['parent_thread_id']);
    this.#parent = parent === this.#id ? null : parent;
    this.#startedAt = moment(payload['timestamp']) ?? at;
    if (this.#parent !== null) this.#leading = [];
  }

  #tokenCount(payload: JsonObject, at: number | null): void {
    const info = member(payload, 'info');
    const total = readUsage(info?.['total_token_usage']);
    const last = readUsage(info?.['last_token_usage']);
    if (total === 'invalid' || last === 'invalid') return this.#sink.skip('invalid_counts');
    const before = this.#total;
    if (total !== null) {
      const key = usageText(total);
      if (this.#totals.has(key)) return;
      this.#totals.add(key);
      this.#total = total;
    }
    const added = addedUsage(total, last, before);
    if (added === null || hasNoTokens(codexCounts(added))) return;
    this.#forgetResponse(added);
    this.#take({ at, added, tuple: `${usageText(total)} ${usageText(last)}` });
  }

  #take(event: UsageEvent): void {
    const { at } = event;
    // Events of a fork from before it began are its parent's.
    if (this.#parent !== null && at !== null && this.#startedAt !== null && at < this.#startedAt) return;
    const buffered = this.#leading;
    if (buffered === null) return this.#count(event);
    const previous = buffered.at(-1);
    if (previous === undefined || isBurst(previous, event)) {
      buffered.push(event);
      return;
    }
    this.end();
    this.#count(event);
  }

  #count({ at, added, tuple }: UsageEvent): void {
    const keys = [at, this.#id, this.#parent]
      .filter((scope) => scope !== null)
      .map((scope) => `${typeof scope === 'number' ? 'at' : 'in'} ${scope} ${tuple}`);
    addUsage(this.#sink, codexCounts(added), keys, at);
  }

  #noteResponse(payload: JsonObject, at: number | null): void {
    const id = textOf(payload['response_id']);
    const usage = readUsage(payload['usage']);
    if (id === null || usage === null || usage === 'invalid') return;
    this.#responses.set(id, { at, added: usage, tuple: `response ${id}` });
    this.#lastResponse = id;
  }

  /** Drops the last response when an event counts it, so that a later `compacted` record does not count it again. */
  #forgetResponse(added: CodexUsage): void {
    const last = this.#lastResponse;
    if (last !== null && usageText(this.#responses.get(last)?.added ?? added) === usageText(added)) {
      this.#responses.delete(last);
    }
    this.#lastResponse = null;
  }

  /** Remote compaction has no `token_count` event: its request is counted here, by its response id. */
  #compacted(payload: JsonObject): void {
    const id = textOf(payload['compaction_response_id']) ?? '';
    const event = this.#responses.get(id);
    if (event === undefined) return;
    this.#responses.delete(id);
    this.#sink.add({ keys: [event.tuple], request: null, counts: codexCounts(event.added), at: event.at });
  }
}

/** What an event adds: the growth of the total; the last request when there is no earlier total, or after a reset. */
function addedUsage(total: CodexUsage | null, last: CodexUsage | null, before: CodexUsage | null): CodexUsage | null {
  if (total === null || before === null) return last ?? total;
  const growth = [
    total[0] - before[0],
    total[1] - before[1],
    total[2] - before[2],
    total[3] - before[3],
    total[4] - before[4],
  ] as const;
  // A field decreased: the counter was reset.
  return growth.some((each) => each < 0) ? (last ?? total) : growth;
}

function isBurst(previous: UsageEvent, event: UsageEvent): boolean {
  return previous.at !== null && event.at !== null && event.at - previous.at <= REPLAY_PAUSE_MS;
}

/** Reads a usage object; null when there is none, `invalid` when one of its counts is not a count. */
function readUsage(value: unknown): CodexUsage | null | 'invalid' {
  if (!isObject(value)) return null;
  const counts = readCounts(
    value['input_tokens'],
    value['cached_input_tokens'] ?? value['cache_read_input_tokens'],
    value['cache_write_input_tokens'] ?? value['cache_creation_input_tokens'],
    value['output_tokens'],
    value['reasoning_output_tokens'],
  );
  return counts ?? 'invalid';
}

/** The counts as text, for comparison and for an event's keys. */
function usageText(usage: CodexUsage | null): string {
  return usage === null ? '-' : `${usage[0]},${usage[1]},${usage[2]},${usage[3]},${usage[4]}`;
}

/** The four counts: input excludes cached tokens and cache writes; output includes reasoning. */
function codexCounts([input, cached, cacheWrite, output]: CodexUsage): Counts {
  return { input: Math.max(0, input - cached - cacheWrite), output, cache_read: cached, cache_write: cacheWrite };
}

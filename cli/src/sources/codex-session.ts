import type { Counts } from '../../../engine/contract/signing/index.ts';
import { isObject, type JsonObject, textOf } from '../json.ts';
import { CodexTotal, type CodexUsage, usageText } from './codex-total.ts';
import { addUsage, hasNoTokens, member, moment, readCounts } from './fields.ts';
import type { Origin, UsageSink } from './source.ts';

/** Events of a replayed history are written at once; turns of a model are seconds apart. In milliseconds. */
const REPLAY_PAUSE_MS = 1_000;

/** A usage event: what it adds, and the counts that identify it. */
interface UsageEvent {
  readonly at: number | null;
  readonly added: CodexUsage;
  readonly tuple: string;
  readonly origin: Origin;
}

/**
 * One rollout file. `token_count` events carry a running total and the last request's usage.
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
  /** Of the next event: a session can change its model. */
  #origin: Origin = { model: null, project: null, session: null };
  readonly #total = new CodexTotal();
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
      case 'turn_context':
        this.#origin = { ...this.#origin, model: textOf(payload['model']) ?? this.#origin.model };
        return;
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
    this.#origin = { ...this.#origin, project: textOf(payload['cwd']), session: this.#id };
    if (this.#parent !== null) this.#leading = [];
  }

  #tokenCount(payload: JsonObject, at: number | null): void {
    const info = member(payload, 'info');
    const total = readUsage(info?.['total_token_usage']);
    const last = readUsage(info?.['last_token_usage']);
    if (total === 'invalid' || last === 'invalid') return this.#sink.skip('invalid_counts');
    const added = this.#total.grow(total, last);
    if (added === null || hasNoTokens(codexCounts(added))) return;
    this.#forgetResponse(added);
    this.#take({ at, added, tuple: `${usageText(total)} ${usageText(last)}`, origin: this.#origin });
  }

  #take(event: UsageEvent): void {
    const { at } = event;
    const buffered = this.#leading;
    if (buffered === null) return this.#count(event);
    // The first events of a fork, from before it began, are its parent's. Later ones are those of a clock that was set back.
    if (at !== null && this.#startedAt !== null && at < this.#startedAt) return;
    const previous = buffered.at(-1);
    if (previous === undefined || isBurst(previous, event)) {
      buffered.push(event);
      return;
    }
    this.end();
    this.#count(event);
  }

  #count({ at, added, tuple, origin }: UsageEvent): void {
    const keys = [at, this.#id, this.#parent]
      .filter((scope) => scope !== null)
      .map((scope) => `${typeof scope === 'number' ? 'at' : 'in'} ${scope} ${tuple}`);
    addUsage(this.#sink, codexCounts(added), keys, at, origin);
  }

  #noteResponse(payload: JsonObject, at: number | null): void {
    const id = textOf(payload['response_id']);
    const usage = readUsage(payload['usage']);
    if (id === null || usage === null || usage === 'invalid') return;
    this.#responses.set(id, { at, added: usage, tuple: `response ${id}`, origin: this.#origin });
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
    const { tuple, added, at, origin } = event;
    this.#sink.add({ keys: [tuple], request: null, counts: codexCounts(added), at, origin });
  }
}

function isBurst(previous: UsageEvent, event: UsageEvent): boolean {
  return previous.at !== null && event.at !== null && Math.abs(event.at - previous.at) <= REPLAY_PAUSE_MS;
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

/** The four counts: input excludes cached tokens and cache writes; output includes reasoning. */
function codexCounts([input, cached, cacheWrite, output]: CodexUsage): Counts {
  return { input: Math.max(0, input - cached - cacheWrite), output, cache_read: cached, cache_write: cacheWrite };
}

import type { Counts } from '../../../../engine/contract/signing/index.ts';
import type { UsageRecord } from './read-record.ts';

type MutableCounts = { -readonly [Field in keyof Counts]: Counts[Field] };

/**
 * One message. Nearly all have one request and are written a few times, so the first request is held in place and a map
 * is made only for the rest: memory grows with messages, not with lines.
 */
interface Message {
  readonly request: string | null;
  readonly counts: MutableCounts;
  others: Map<string | null, MutableCounts> | null;
}

/** Totals of a tally, and how they came about. */
export interface TallyResult {
  readonly totals: Counts;
  readonly messages: number;
  readonly repeats: number;
  readonly placeholders: number;
}

/**
 * Counts every message once, whatever the order, the number and the files of the lines that tell of it.
 *
 * Lines of one message and request are rewritings of one stream, of which each field's maximum holds. Requests of one
 * message are summed. Lines without a request (proxies leave it out) and sidechain copies belong to the message as a
 * whole: they can raise its sum, never add to it. Maximum and sum commute, so the result is a function of the set of lines.
 */
export class MessageTally {
  readonly #messages = new Map<string, Message>();
  #records = 0;

  /** Takes one line's record in. */
  add(record: UsageRecord): void {
    this.#records += 1;
    const message = this.#messages.get(record.identity);
    if (message === undefined) {
      this.#messages.set(record.identity, { request: record.request, counts: { ...record.counts }, others: null });
    } else if (message.request === record.request) {
      raise(message.counts, record.counts);
    } else {
      message.others ??= new Map();
      const known = message.others.get(record.request);
      if (known === undefined) message.others.set(record.request, { ...record.counts });
      else raise(known, record.counts);
    }
  }

  /** Sums up what was taken in so far. */
  result(): TallyResult {
    const totals = zero();
    let messages = 0;
    let placeholders = 0;
    for (const message of this.#messages.values()) {
      const { counts, requests } = settle(message);
      addTo(totals, counts);
      messages += requests;
      if (counts.input <= 1 && counts.output + counts.cache_read + counts.cache_write > 0) placeholders += requests;
    }
    return { totals, messages, repeats: this.#records - messages, placeholders };
  }
}

/** A message's counts, and the number of answers it stands for (its known requests; 1 when none is known). */
function settle(message: Message): { readonly counts: Counts; readonly requests: number } {
  if (message.others === null) return { counts: message.counts, requests: 1 };
  const sum = zero();
  let whole: Counts | null = null;
  let requests = 0;
  const parts: Array<readonly [string | null, Counts]> = [[message.request, message.counts], ...message.others];
  for (const [request, counts] of parts) {
    if (request === null) {
      whole = counts;
    } else {
      addTo(sum, counts);
      requests += 1;
    }
  }
  if (whole !== null) raise(sum, whole);
  return { counts: sum, requests: Math.max(1, requests) };
}

function zero(): MutableCounts {
  return { input: 0, output: 0, cache_read: 0, cache_write: 0 };
}

function raise(target: MutableCounts, counts: Counts): void {
  target.input = Math.max(target.input, counts.input);
  target.output = Math.max(target.output, counts.output);
  target.cache_read = Math.max(target.cache_read, counts.cache_read);
  target.cache_write = Math.max(target.cache_write, counts.cache_write);
}

function addTo(target: MutableCounts, counts: Counts): void {
  target.input += counts.input;
  target.output += counts.output;
  target.cache_read += counts.cache_read;
  target.cache_write += counts.cache_write;
}

import { hash } from 'node:crypto';
import type { Counts } from '../../../engine/contract/signing/index.ts';
import type { Origin } from '../sources/source.ts';

/** An origin of a store, by its number there. */
export interface StoredOrigin extends Origin {
  readonly id: number;
  /** Orders origins by their texts: the same in every store. */
  readonly text: string;
}

/** A record of a log, with hashes in place of its keys and its request. */
export interface HashedRecord {
  readonly keys: readonly number[];
  /** `WHOLE_MESSAGE`, `COPY` or the hash of a request. */
  readonly request: number;
  readonly counts: Counts;
  /** Seconds since the epoch. */
  readonly time: number;
  readonly origin?: Origin | undefined;
}

export type MutableCounts = { -readonly [Field in keyof Counts]: Counts[Field] };

/** In place of a request: the record belongs to the message as a whole. */
export const WHOLE_MESSAGE = 0;

/** In place of a request: a copy in a sub-agent's log, which counts only where its usage has nothing else. */
export const COPY = 1;

/** 52 bits, which a number holds: among a million keys of one machine, the probability of a collision is 1 in 9,000. */
const KEY_DIGITS = 13;

/** Of the few requests of one message. */
const REQUEST_DIGITS = 7;

/** A usage, as it is merged from its records. */
export interface Usage {
  /** The first of its keys. */
  readonly key: number;
  /** Those of its keys that are known to the batch. */
  readonly keys: number[];
  /** The number of the last file with a record of it. */
  file: number;
  /** Of its earliest record. */
  origin: StoredOrigin;
  /** The earliest, in seconds since the epoch. */
  time: number;
  readonly requests: RequestCounts[];
}

/** The counts of a request. */
export interface RequestCounts extends MutableCounts {
  readonly request: number;
}

/**
 * Adds a record to a usage; returns whether that changed it. Records of one request are rewrites of one response, whose fields take the
 * maximum. Maximum, union and minimum commute: the result depends neither on the order of the records nor on repetitions.
 */
export function joinRecord(
  usage: Usage,
  { request, counts, time }: Pick<HashedRecord, 'request' | 'counts' | 'time'>,
  { file, origin }: Pick<Usage, 'file' | 'origin'>,
): boolean {
  let isChanged = usage.file !== file;
  usage.file = file;
  if (isOriginOf(usage, origin, time)) {
    usage.origin = origin;
    isChanged = true;
  }
  // Copies and rewrites are later.
  if (time < usage.time) {
    usage.time = time;
    isChanged = true;
  }
  const known = usage.requests.find((each) => each.request === request);
  if (known === undefined) {
    const { input, output, cache_read, cache_write } = counts;
    usage.requests.push({ request, input, output, cache_read, cache_write });
    return true;
  }
  return raise(known, counts) || isChanged;
}

/** Adds the records of another usage, after a record had keys of both. */
export function joinUsage(usage: Usage, { requests, ...other }: Usage): void {
  for (const counts of requests) joinRecord(usage, { request: counts.request, counts, time: other.time }, other);
}

/** Sums requests; records of the message as a whole can raise the sum, never add to it; copies are the last resort. */
export function sumOf({ requests }: Usage): { readonly counts: MutableCounts; readonly messages: number } {
  const counts = zeroCounts();
  let messages = 0;
  for (const each of requests) {
    if (each.request === WHOLE_MESSAGE || (each.request === COPY && requests.length > 1)) continue;
    addCounts(counts, each);
    messages += 1;
  }
  const whole = requests.find(({ request }) => request === WHOLE_MESSAGE);
  if (whole !== undefined) raise(counts, whole);
  return { counts, messages: Math.max(1, messages) };
}

export function zeroCounts(): MutableCounts {
  return { input: 0, output: 0, cache_read: 0, cache_write: 0 };
}

export function addCounts(target: MutableCounts, more: Counts): void {
  // Spelled out: the views do this for every bucket, and members by name are slow until V8 compiles the loop.
  target.input += more.input;
  target.output += more.output;
  target.cache_read += more.cache_read;
  target.cache_write += more.cache_write;
}

/** Adds counts to the sum under a key. */
export function addUnder<Key>(sums: Map<Key, MutableCounts>, key: Key, more: Counts): void {
  let sum = sums.get(key);
  if (sum === undefined) sums.set(key, (sum = zeroCounts()));
  addCounts(sum, more);
}

/** Raises counts to those of another record; returns whether that changed any. */
function raise(counts: MutableCounts, more: Counts): boolean {
  let isChanged = false;
  for (const field of ['input', 'output', 'cache_read', 'cache_write'] as const) {
    if (more[field] <= counts[field]) continue;
    counts[field] = more[field];
    isChanged = true;
  }
  return isChanged;
}

/** Whether a record gives a usage its origin: the earliest does, of several at one moment the first by text. */
function isOriginOf({ origin: known, time: earliest }: Usage, origin: StoredOrigin, time: number): boolean {
  if (origin === known || isUnknown(origin)) return false;
  return isUnknown(known) || time < earliest || (time === earliest && origin.text < known.text);
}

function isUnknown({ model, project, session }: Origin): boolean {
  return model === null && project === null && session === null;
}

/** Hashes of a record's keys. They include the platform, so that equal keys of two tools differ. */
export function hashKeys(platform: string, keys: readonly string[]): number[] {
  return keys.map((key) => hashText(`${platform} ${key}`, KEY_DIGITS));
}

/** The hash of a request's id. */
export function hashRequest(request: string | null): number {
  return request === null ? WHOLE_MESSAGE : Math.max(COPY + 1, hashText(request, REQUEST_DIGITS));
}

function hashText(text: string, digits: number): number {
  return Number.parseInt(hash('sha256', text, 'hex').slice(0, digits), 16);
}

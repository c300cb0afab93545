import type { Counts } from '../../../engine/contract/signing/index.ts';
import { hashKey, hashRequest, type KeyHash } from './hash-key.ts';
import { type KeyColumns, KeyIndex } from './key-index.ts';
import { ROW, type RowColumns, UsageColumns } from './usage-columns.ts';

/** A record to add: keys and request as hashes. */
export interface TableEntry {
  readonly keys: readonly KeyHash[];
  /** 0: the message as a whole. */
  readonly request: number;
  readonly counts: Counts;
  /** Seconds since the epoch; 0: unknown. */
  readonly time: number;
  readonly file: number;
  readonly platform: number;
}

/** A usage: the sum of its requests. */
export interface SummedUsage {
  readonly platform: number;
  readonly counts: Counts;
  /** Number of model responses. */
  readonly messages: number;
  /** The earliest time of its records, in seconds since the epoch; 0: unknown. */
  readonly time: number;
  readonly file: number;
}

/** A table in its stored form, which is also sent between threads. */
export interface StoredTable {
  readonly rows: RowColumns;
  readonly keys: KeyColumns;
}

const NONE = -1;

/**
 * Counts every usage once, regardless of the order, the number and the files of its records.
 *
 * Records that share a key are one usage. Within it, records of one request are rewrites of one response, whose fields take
 * the maximum; requests are summed; records without a request belong to the message as a whole: they can raise its sum, never
 * add to it. Maximum, sum and union commute, so the result is a function of the set of records: adding a record again
 * changes nothing.
 */
export class UsageTable {
  #rows: UsageColumns;
  #keys: KeyIndex;

  constructor(rows: UsageColumns = new UsageColumns(), keys: KeyIndex = new KeyIndex()) {
    this.#rows = rows;
    this.#keys = keys;
  }

  static of(rows: RowColumns, keys: KeyColumns): UsageTable {
    return new UsageTable(UsageColumns.of(rows), KeyIndex.of(keys));
  }

  columns(): StoredTable {
    return { rows: this.#rows.columns(), keys: this.#keys.columns() };
  }

  add(entry: TableEntry): void {
    const missing: KeyHash[] = [];
    let head: number = NONE;
    for (const key of entry.keys) {
      const row = this.#headOf(this.#keys.get(key));
      if (row === NONE) missing.push(key);
      else if (head === NONE) head = row;
      else if (row !== head) this.#merge(head, row);
    }
    if (head === NONE) head = this.#append(entry, ROW.head);
    else this.#join(head, entry);
    for (const key of missing) if (this.#keys.get(key) === NONE) this.#keys.add(key, head);
  }

  /** Takes over the columns of another table, which must not be used afterwards: faster than `addTable` for an empty table. */
  replaceBy(other: UsageTable): void {
    this.#rows = other.#rows;
    this.#keys = other.#keys;
  }

  /**
   * Adds another table's usages: all of them, or those whose file passes. Translates the numbers of files and platforms.
   */
  addTable(
    other: UsageTable,
    translate: { readonly file: (file: number) => number; readonly platform: (platform: number) => number },
    passes: (file: number) => boolean = () => true,
  ): void {
    const { rows } = other.#rows;
    const { highs, lows, rows: keyRows } = other.#keys.columns();
    // Reserve the maximum: growing in steps would temporarily take twice the memory.
    this.#rows.reserve(this.#rows.rows + rows);
    this.#keys.reserve(this.#keys.columns().rows.length + keyRows.length);
    // The keys of each usage as linked lists: an array for each would take more memory than the table.
    const firstKeys = new Int32Array(rows).fill(NONE);
    const nextKeys = new Int32Array(keyRows.length);
    for (let key = keyRows.length - 1; key >= 0; key -= 1) {
      const head = other.#headOf(keyRows[key]!);
      nextKeys[key] = firstKeys[head]!;
      firstKeys[head] = key;
    }
    for (let head = 0; head < rows; head += 1) {
      if (other.#rows.kinds[head] !== ROW.head || !passes(other.#rows.files[head]!)) continue;
      const keys: KeyHash[] = [];
      for (let key = firstKeys[head]!; key !== NONE; key = nextKeys[key]!) {
        keys.push({ high: highs[key]!, low: lows[key]! });
      }
      for (let row = head; row !== NONE; row = other.#rows.links[row]!) {
        this.add({
          keys,
          request: other.#rows.requests[row]!,
          counts: other.#countsAt(row),
          time: other.#rows.times[row]!,
          file: translate.file(other.#rows.files[row]!),
          platform: translate.platform(other.#rows.platforms[row]!),
        });
      }
    }
  }

  /** Visits every usage once. The usage is valid only during the call: the object is reused. */
  forEach(visit: (usage: SummedUsage) => void): void {
    const { rows, kinds, platforms, times, files } = this.#rows;
    const usage = {
      platform: 0,
      counts: { input: 0, output: 0, cache_read: 0, cache_write: 0 },
      messages: 0,
      time: 0,
      file: 0,
    };
    for (let head = 0; head < rows; head += 1) {
      if (kinds[head] !== ROW.head) continue;
      usage.messages = this.#sumUp(head, usage.counts);
      usage.platform = platforms[head]!;
      usage.time = times[head]!;
      usage.file = files[head]!;
      visit(usage);
    }
  }

  #headOf(row: number): number {
    let head = row;
    while (head !== NONE && this.#rows.kinds[head] === ROW.merged) head = this.#rows.links[head]!;
    return head;
  }

  #append(entry: TableEntry, kind: number): number {
    const row = this.#rows.append();
    this.#rows.kinds[row] = kind;
    this.#rows.links[row] = NONE;
    this.#rows.requests[row] = entry.request;
    this.#rows.platforms[row] = entry.platform;
    this.#rows.files[row] = entry.file;
    this.#rows.times[row] = entry.time;
    this.#raise(row, entry.counts);
    return row;
  }

  /** Adds a record to a known usage: to the row of its request, or as a new row. */
  #join(head: number, entry: TableEntry): void {
    const { requests, links, files } = this.#rows;
    files[head] = entry.file;
    this.#noteTime(head, entry.time);
    let last = head;
    for (let row = head; row !== NONE; row = links[row]!) {
      if (requests[row] === entry.request) return this.#raise(row, entry.counts);
      last = row;
    }
    const row = this.#append(entry, ROW.member);
    this.#rows.links[last] = row;
  }

  /** Merges usage `from` into usage `into`, when a record shares keys with both. */
  #merge(into: number, from: number): void {
    const rows = this.#rows;
    for (let row: number = from; row !== NONE; ) {
      const next = rows.links[row]!;
      this.#join(into, {
        keys: [],
        request: rows.requests[row]!,
        counts: this.#countsAt(row),
        time: rows.times[row]!,
        file: rows.files[row]!,
        platform: rows.platforms[row]!,
      });
      rows.kinds[row] = ROW.merged;
      rows.links[row] = into;
      rows.counts.fill(0, row * 4, row * 4 + 4);
      row = next;
    }
  }

  /** Keeps the earliest time: copies and rewrites are later. */
  #noteTime(row: number, time: number): void {
    const known = this.#rows.times[row]!;
    if (time !== 0 && (known === 0 || time < known)) this.#rows.times[row] = time;
  }

  #raise(row: number, more: Counts): void {
    const { counts } = this.#rows;
    const at = row * 4;
    if (more.input > counts[at]!) counts[at] = more.input;
    if (more.output > counts[at + 1]!) counts[at + 1] = more.output;
    if (more.cache_read > counts[at + 2]!) counts[at + 2] = more.cache_read;
    if (more.cache_write > counts[at + 3]!) counts[at + 3] = more.cache_write;
  }

  #countsAt(row: number): Counts {
    const { counts } = this.#rows;
    const at = row * 4;
    return { input: counts[at]!, output: counts[at + 1]!, cache_read: counts[at + 2]!, cache_write: counts[at + 3]! };
  }

  /** Writes a usage's counts into `into`; returns its number of messages. */
  #sumUp(head: number, into: MutableCounts): number {
    const { counts, links, requests } = this.#rows;
    // Fast path: nearly every usage is one request.
    if (links[head] === NONE) {
      const at = head * 4;
      into.input = counts[at]!;
      into.output = counts[at + 1]!;
      into.cache_read = counts[at + 2]!;
      into.cache_write = counts[at + 3]!;
      return 1;
    }
    SUM.fill(0);
    MESSAGE.fill(0);
    let messages = 0;
    for (let row = head; row !== NONE; row = links[row]!) {
      const isMessage = requests[row] === 0;
      const target = isMessage ? MESSAGE : SUM;
      for (let field = 0; field < 4; field += 1) target[field]! += counts[row * 4 + field]!;
      if (!isMessage) messages += 1;
    }
    into.input = Math.max(SUM[0]!, MESSAGE[0]!);
    into.output = Math.max(SUM[1]!, MESSAGE[1]!);
    into.cache_read = Math.max(SUM[2]!, MESSAGE[2]!);
    into.cache_write = Math.max(SUM[3]!, MESSAGE[3]!);
    return Math.max(1, messages);
  }
}

/** Scratch space for a usage of several requests: the sum of its requests, and the counts of the message as a whole. */
const SUM = new Float64Array(4);
const MESSAGE = new Float64Array(4);

type MutableCounts = { -readonly [Field in keyof Counts]: Counts[Field] };

/** Hashes of a record's keys. They include the platform, so that equal keys of two tools differ. */
export function hashKeys(platform: string, keys: readonly string[]): KeyHash[] {
  return keys.map((key) => hashKey(`${platform} ${key}`));
}

/** The hash of a request id; 0 for none. */
export function requestNumber(request: string | null): number {
  return request === null ? 0 : hashRequest(request);
}

import type { Counts } from '../../../engine/contract/signing/index.ts';
import { type ColumnsOf, GrowingColumns } from './columns.ts';
import { hashKey, type KEY_COLUMNS, type KeyHash, KeyIndex } from './key-index.ts';
import { IMPORT_SESSION, Origins, UNKNOWN_ORIGIN } from './origins.ts';

/** The stored columns of a table. */
export const ROW_COLUMNS = {
  /** Four numbers per row, in the order of `COUNT_FIELDS`. */
  counts: Float64Array,
  /** Seconds since the epoch; 0: unknown. */
  times: Uint32Array,
  /** Hashes of request ids; 0: none; `COPY`. */
  requests: Uint32Array,
  links: Int32Array,
  /** The number of the last file with a record of the usage. */
  files: Int32Array,
  kinds: Uint8Array,
  /** The number of the platform. */
  platforms: Uint8Array,
  /** The number of the origin. */
  origins: Uint32Array,
};

/** The kind of a row. Stored as a number: the meanings never change. */
const ROW = {
  /** The first row of a usage, to which its keys point. `links` is the next member, -1 for none. */
  head: 0,
  /** A further request of the same message. `links` is the next member, -1 for none. */
  member: 1,
  /** Merged into the usage of another row, to which `links` points. Its counts are zero. */
  merged: 2,
} as const;

/** A record to add: keys and request as hashes. */
export interface TableEntry {
  readonly keys: readonly KeyHash[];
  /** 0: the message as a whole. `COPY`: a copy of it in a sub-agent's log. */
  readonly request: number;
  readonly counts: Counts;
  /** Seconds since the epoch; 0: unknown. */
  readonly time: number;
  readonly file: number;
  readonly platform: number;
  readonly origin: number;
}

/** A usage: the sum of its requests, with the earliest time of its records. */
export interface SummedUsage extends Pick<TableEntry, 'platform' | 'counts' | 'time' | 'file' | 'origin'> {
  /** Number of model responses. */
  readonly messages: number;
}

/** A table in its stored form. */
export interface StoredTable {
  readonly rows: ColumnsOf<typeof ROW_COLUMNS>;
  readonly keys: ColumnsOf<typeof KEY_COLUMNS>;
}

const NONE = -1;

const QUARTER_SECONDS = 900;
const HALF_DAY_QUARTERS = 48;

/** In place of a request: the record counts only where its usage has no other. */
export const COPY = 1;

/** Numbers of files, platforms and origins in the same table. */
const AS_THEY_ARE = {
  file: (file: number) => file,
  platform: (platform: number) => platform,
  origin: (origin: number) => origin,
};

/**
 * Counts every usage once, regardless of the order, the number and the files of its records.
 *
 * Records that share a key are one usage. Within it, records of one request are rewrites of one response, whose fields take
 * the maximum; requests are summed; records without a request belong to the message as a whole: they can raise its sum, never
 * add to it; copies in sub-agents' logs count when there is nothing else. A usage has the origin of its earliest record. Maximum,
 * sum, union and minimum commute, so the result is a function of the set of records: adding a record again changes nothing.
 */
export class UsageTable {
  readonly #origins: Origins;
  readonly #rows: GrowingColumns<typeof ROW_COLUMNS>;
  readonly #keys: KeyIndex;

  /** Over a stored table, without copying it. */
  constructor(stored?: StoredTable, origins = new Origins()) {
    this.#origins = origins;
    this.#rows = new GrowingColumns(ROW_COLUMNS, stored?.rows, stored?.rows.times.length);
    this.#keys = new KeyIndex(stored?.keys);
  }

  get origins(): Origins {
    return this.#origins;
  }

  stored(): StoredTable {
    return { rows: this.#rows.stored(), keys: this.#keys.keys.stored() };
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
    for (const key of missing) this.#keys.add(key, head);
  }

  /** Adds another table's usages: all of them, or those whose file passes. Translates the numbers of files and platforms. */
  addTable(
    other: UsageTable,
    numbers: Omit<typeof AS_THEY_ARE, 'origin'>,
    passes: (file: number) => boolean = () => true,
  ): void {
    const { rows } = other.#rows;
    const origins = other.#origins.list.map((origin) => this.#origins.number(origin));
    const translate = { ...numbers, origin: (origin: number) => origins[origin]! };
    const { kinds, links, files } = other.#rows.cells;
    const { highs, lows, rows: keyRows } = other.#keys.keys.stored();
    // Reserve the maximum: growing in steps would temporarily take twice the memory.
    this.#rows.reserve(this.#rows.rows + rows);
    this.#keys.keys.reserve(this.#keys.keys.rows + keyRows.length);
    // The keys of each usage as linked lists: an array for each would take more memory than the table.
    const firstKeys = new Int32Array(rows).fill(NONE);
    const nextKeys = new Int32Array(keyRows.length);
    for (let key = keyRows.length - 1; key >= 0; key -= 1) {
      const head = other.#headOf(keyRows[key]!);
      nextKeys[key] = firstKeys[head]!;
      firstKeys[head] = key;
    }
    for (let head = 0; head < rows; head += 1) {
      if (kinds[head] !== ROW.head || !passes(files[head]!)) continue;
      const keys: KeyHash[] = [];
      for (let key = firstKeys[head]!; key !== NONE; key = nextKeys[key]!) {
        keys.push({ high: highs[key]!, low: lows[key]! });
      }
      for (let row = head; row !== NONE; row = links[row]!) this.add(other.#entryAt(row, keys, translate));
    }
  }

  /**
   * Visits every usage once, but imported sums only of days of which no log was counted. The usage is valid only during the call: the
   * object is reused.
   */
  forEach(visit: (usage: SummedUsage) => void): void {
    const superseded = this.#supersededImports();
    const { kinds, platforms, times, files, origins } = this.#rows.cells;
    const counts = { input: 0, output: 0, cache_read: 0, cache_write: 0 };
    const usage = { platform: 0, counts, messages: 0, time: 0, file: 0, origin: 0 };
    for (let head = 0; head < this.#rows.rows; head += 1) {
      if (kinds[head] !== ROW.head || superseded.has(head)) continue;
      usage.messages = this.#sumUp(head, usage.counts);
      usage.platform = platforms[head]!;
      usage.time = times[head]!;
      usage.file = files[head]!;
      usage.origin = origins[head]!;
      visit(usage);
    }
  }

  /** The rows of imported sums within half a day of whose time, the noon of their day, there are logged usages of the platform. */
  #supersededImports(): ReadonlySet<number> {
    const { kinds, platforms, times, origins } = this.#rows.cells;
    const superseded = new Set<number>();
    const isImport = this.#origins.list.map(({ session }) => session === IMPORT_SESSION);
    if (!isImport.includes(true)) return superseded;
    const imports: number[] = [];
    /** Platform and quarter of an hour of the logged usages: a local day begins with a quarter in every time zone. */
    const logged = new Set<number>();
    const quarterOf = (row: number): number => platforms[row]! * 2 ** 23 + Math.floor(times[row]! / QUARTER_SECONDS);
    for (let row = 0; row < this.#rows.rows; row += 1) {
      if (kinds[row] !== ROW.head) continue;
      if (isImport[origins[row]!] === true) imports.push(row);
      else logged.add(quarterOf(row));
    }
    for (const row of imports) {
      const noon = quarterOf(row);
      for (let quarter = noon - HALF_DAY_QUARTERS; quarter < noon + HALF_DAY_QUARTERS; quarter += 1) {
        if (logged.has(quarter)) superseded.add(row);
      }
    }
    return superseded;
  }

  #headOf(row: number): number {
    const { kinds, links } = this.#rows.cells;
    let head = row;
    while (head !== NONE && kinds[head] === ROW.merged) head = links[head]!;
    return head;
  }

  #append(entry: TableEntry, kind: number): number {
    const row = this.#rows.append();
    const { kinds, links, requests, platforms, files, times, origins } = this.#rows.cells;
    kinds[row] = kind;
    links[row] = NONE;
    requests[row] = entry.request;
    platforms[row] = entry.platform;
    files[row] = entry.file;
    times[row] = entry.time;
    origins[row] = entry.origin;
    this.#raise(row, entry.counts);
    return row;
  }

  /** Adds a record to a known usage: to the row of its request, or as a new row. */
  #join(head: number, entry: TableEntry): void {
    const { requests, links, files, times, origins } = this.#rows.cells;
    files[head] = entry.file;
    if (this.#isOriginOf(head, entry)) origins[head] = entry.origin;
    // Keep the earliest time: copies and rewrites are later.
    if (entry.time !== 0 && (times[head] === 0 || entry.time < times[head]!)) times[head] = entry.time;
    let last = head;
    for (let row = head; row !== NONE; row = links[row]!) {
      if (requests[row] === entry.request) return this.#raise(row, entry.counts);
      last = row;
    }
    const row = this.#append(entry, ROW.member);
    // The columns may have grown.
    this.#rows.cells.links[last] = row;
  }

  /** Whether a record gives a usage its origin: the earliest does, of several at one moment the first by text. */
  #isOriginOf(head: number, { origin, time }: TableEntry): boolean {
    const { origins, times } = this.#rows.cells;
    const known = origins[head]!;
    if (origin === known || origin === UNKNOWN_ORIGIN) return false;
    if (known === UNKNOWN_ORIGIN || time < times[head]!) return true;
    return time === times[head]! && this.#origins.isBefore(origin, known);
  }

  /** Merges usage `from` into usage `into`, when a record shares keys with both. */
  #merge(into: number, from: number): void {
    for (let row: number = from; row !== NONE; ) {
      const next = this.#rows.cells.links[row]!;
      this.#join(into, this.#entryAt(row, []));
      const { kinds, links, counts } = this.#rows.cells;
      kinds[row] = ROW.merged;
      links[row] = into;
      counts.fill(0, row * 4, row * 4 + 4);
      row = next;
    }
  }

  #entryAt(row: number, keys: readonly KeyHash[], { file, platform, origin } = AS_THEY_ARE): TableEntry {
    const { requests, times, files, platforms, origins, counts } = this.#rows.cells;
    return {
      keys,
      request: requests[row]!,
      counts: readCounts(counts, row * 4, { input: 0, output: 0, cache_read: 0, cache_write: 0 }),
      time: times[row]!,
      file: file(files[row]!),
      platform: platform(platforms[row]!),
      origin: origin(origins[row]!),
    };
  }

  #raise(row: number, more: Counts): void {
    const { counts } = this.#rows.cells;
    const at = row * 4;
    if (more.input > counts[at]!) counts[at] = more.input;
    if (more.output > counts[at + 1]!) counts[at + 1] = more.output;
    if (more.cache_read > counts[at + 2]!) counts[at + 2] = more.cache_read;
    if (more.cache_write > counts[at + 3]!) counts[at + 3] = more.cache_write;
  }

  /** Writes a usage's counts into `into`; returns its number of messages. */
  #sumUp(head: number, into: MutableCounts): number {
    const { counts, links, requests } = this.#rows.cells;
    // Fast path: nearly every usage is one request.
    if (links[head] === NONE) {
      readCounts(counts, head * 4, into);
      return 1;
    }
    SUMS.fill(0);
    let messages = 0;
    for (let row = head; row !== NONE; row = links[row]!) {
      // There is at most one row of copies, so another row of the usage is an original.
      if (requests[row] === COPY) continue;
      const isMessage = requests[row] === 0;
      const at = isMessage ? MESSAGE : 0;
      for (let field = 0; field < 4; field += 1) SUMS[at + field]! += counts[row * 4 + field]!;
      if (!isMessage) messages += 1;
    }
    for (let field = 0; field < 4; field += 1) SUMS[field] = Math.max(SUMS[field]!, SUMS[MESSAGE + field]!);
    readCounts(SUMS, 0, into);
    return Math.max(1, messages);
  }
}

export type MutableCounts = { -readonly [Field in keyof Counts]: Counts[Field] };

/** Scratch space for a usage of several requests: the sum of its requests, then the counts of the message as a whole. */
const SUMS = new Float64Array(8);
const MESSAGE = 4;

function readCounts(counts: Float64Array, at: number, into: MutableCounts): Counts {
  into.input = counts[at]!;
  into.output = counts[at + 1]!;
  into.cache_read = counts[at + 2]!;
  into.cache_write = counts[at + 3]!;
  return into;
}

/** Hashes of a record's keys. They include the platform, so that equal keys of two tools differ. */
export function hashKeys(platform: string, keys: readonly string[]): KeyHash[] {
  return keys.map((key) => hashKey(`${platform} ${key}`));
}

/** The hash of a request id, which is neither 0 nor `COPY`; 0 for none. */
export function requestNumber(request: string | null): number {
  if (request === null) return 0;
  const { high, low } = hashKey(request);
  return Math.max(COPY + 1, (high ^ low) >>> 0);
}

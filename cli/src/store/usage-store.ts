import type { Database, SQLiteValue, Statement } from 'node-sqlite3-wasm';
import { CliError } from '../cli-error.ts';
import type { IsHeld } from '../files/lock.ts';
import { hasShape, type JsonObject, parseJson, type Shape, type Shaped, textOf } from '../json.ts';
import type { Origin } from '../sources/source.ts';
import { BUCKET_SECONDS, type Bucket, type FileEntry, withoutSuperseded } from './buckets.ts';
import { DamagedStoreError } from './schema.ts';
import { type HashedRecord, joinRecord, joinUsage, type StoredOrigin, sumOf, type Usage } from './usage.ts';

/** A batch is written when it has so many keys: more take more memory. */
const BATCH_KEYS = 1_000;

/** Batches that are committed together: their keys are on all pages, which each commit writes. */
const BATCHES = 16;

/** The cache of pages, in KiB: keys are hashes, so that each usage is on another page. */
const CACHE_KIB = 8_192;

const NO_ORIGIN: Origin = { model: null, project: null, session: null };

const COUNTS = { input: 'number', output: 'number', cache_read: 'number', cache_write: 'number' } as const;

const REQUEST = { request: 'number', ...COUNTS } as const;

const SKIPPED = {
  not_json: 'number',
  truncated: 'number',
  too_long: 'number',
  invalid_counts: 'number',
  no_identity: 'number',
  synthetic: 'number',
  unknown_type: 'number',
} as const;

const FILE = {
  id: 'number',
  version: 'number',
  bytes: 'number',
  records: 'number',
  platform: 'string',
  path: 'string',
  fingerprint: 'string',
} as const;

const USAGE = { wanted: 'number', key: 'number', file: 'number', origin: 'number', time: 'number' } as const;

const BUCKET = {
  file: 'number',
  origin: 'number',
  time: 'number',
  ...COUNTS,
  messages: 'number',
  placeholders: 'number',
} as const;

/** The usages of the keys in a JSON array, which are their first keys or aliases. */
const FIND = `
  FROM (SELECT wanted.value AS wanted, coalesce(aliases.usage, wanted.value) AS first
    FROM json_each(?) AS wanted LEFT JOIN aliases ON aliases.key = wanted.value)
  JOIN usages ON usages.key = first`;

/** The counts of a single request are those of the usage. */
const REQUESTS = `iif(typeof(requests) = 'integer', json_array(json_object('request', requests, ${pairs(COUNTS)})), json(requests))`;

const ADD_BUCKETS = `
  INSERT INTO buckets
  SELECT file, time - time % ${BUCKET_SECONDS} AS start, origin, total(input), total(output), total(cache_read),
    total(cache_write), sum(messages), sum(messages * (input <= 1 AND output + cache_read + cache_write > 0))
  FROM usages WHERE file = ? GROUP BY start, origin`;

/**
 * Everything that was ever counted on this machine, and the files it came from. Counts every usage once, regardless of the order, the
 * number and the files of its records: records that share a key are one usage, which has the key of the first one; the others are
 * aliases.
 *
 * Records are merged in a batch in memory, which is written with the buckets of the files that it changes. A killed run leaves the
 * last commit; files that were read since are read again.
 */
export class UsageStore {
  /** By `fileKey`. Includes deleted files. */
  readonly files = new Map<string, FileEntry>();
  readonly #database: Database;
  readonly #isHeld: IsHeld;
  readonly #isAtomic: boolean;
  /** By their SQL. */
  readonly #statements = new Map<string, Statement>();
  readonly #originsById = new Map<number, StoredOrigin>();
  readonly #originsByText = new Map<string, StoredOrigin>();
  /** The batch, by each of their keys. */
  readonly #usages = new Map<number, Usage>();
  readonly #changed = new Set<Usage>();
  /** Files whose buckets are not those of their usages. */
  readonly #stale = new Set<number>();
  #batches = 0;

  /** `isAtomic`: nothing is committed before `commit`. */
  constructor(database: Database, isHeld: IsHeld, isAtomic: boolean) {
    this.#database = database;
    this.#isHeld = isHeld;
    this.#isAtomic = isAtomic;
  }

  /** Reads what is not read on demand. */
  load(): void {
    this.#database.exec(`PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${CACHE_KIB}`);
    for (const row of this.#rows(FILE, 'FROM files', { skipped: 'json(skipped)' })) {
      const entry = { ...row, skipped: shaped(row['skipped'], SKIPPED) };
      this.files.set(fileKey(entry), entry);
    }
    const texts = { model: 'model', project: 'project', session: 'session' };
    for (const { id, model, project, session } of this.#rows({ id: 'number' }, 'FROM origins', texts))
      this.#enterOrigin(id, { model: textOf(model), project: textOf(project), session: textOf(session) });
  }

  /** Throws where anything of the file's structure is damaged. */
  check(): void {
    const row = this.#database.get('PRAGMA quick_check');
    if (row?.['quick_check'] !== 'ok') throw new DamagedStoreError('SQLite found damage');
  }

  get epoch(): number {
    return shaped(this.#rows({ epoch: 'number' }, 'FROM state')[0], { epoch: 'number' }).epoch;
  }

  set epoch(epoch: number) {
    this.#run('UPDATE state SET epoch = ?', [epoch]);
  }

  /** Whether there are changes that were not committed. */
  get isChanged(): boolean {
    return this.#database.inTransaction;
  }

  /** Enters a file, or replaces the entry of this platform and path. */
  enter(file: Omit<FileEntry, 'id'>): FileEntry {
    const key = fileKey(file);
    const entry = { ...file, id: this.files.get(key)?.id ?? this.files.size + 1 };
    const { id, version, bytes, records, platform, path, fingerprint, skipped } = entry;
    const values = [id, version, bytes, records, platform, path, fingerprint, JSON.stringify(skipped)];
    this.#run('INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)', values);
    this.files.set(key, entry);
    return entry;
  }

  /** Adds records of a file. Each call takes a query. */
  add(records: readonly HashedRecord[], file: Pick<FileEntry, 'id'>): void {
    const wanted = new Set(records.flatMap(({ keys }) => keys.filter((key) => !this.#usages.has(key))));
    if (wanted.size > 0) this.#find([...wanted]);
    for (const record of records) this.#add(record, file.id);
  }

  /** Writes and commits the batch when it is large. Between files only: the buckets of a file are computed for each batch with it. */
  saveWhenDue(): void {
    if (this.#usages.size < BATCH_KEYS) return;
    this.#flush();
    this.#batches += 1;
    if (this.#batches % BATCHES === 0 && !this.#isAtomic) this.commit();
  }

  commit(): void {
    this.#flush();
    if (!this.#database.inTransaction) return;
    if (!this.#isHeld()) {
      const message = 'another run of this tool broke the lock of this one, which was suspended for long';
      throw new CliError('files', 'locked', message);
    }
    this.#database.exec('COMMIT');
  }

  /** Removes the usage of some files, or everything, so that it is counted again. */
  forget(files: readonly FileEntry[] | 'all'): void {
    if (files === 'all') {
      for (const table of ['files', 'usages', 'aliases', 'buckets']) this.#run(`DELETE FROM ${table}`, []);
      return this.files.clear();
    }
    for (const file of files) {
      this.enter({ ...file, fingerprint: '' });
      this.#run('DELETE FROM usages WHERE file = ?', [file.id]);
      this.#stale.add(file.id);
    }
    this.#run('DELETE FROM aliases WHERE usage NOT IN (SELECT key FROM usages)', []);
  }

  /** All usage, but imported sums only of days of which no log was counted. */
  buckets(): readonly Bucket[] {
    this.#flush();
    const files = new Map([...this.files.values()].map((file) => [file.id, file]));
    const buckets = this.#rows(BUCKET, 'FROM buckets').map((row) => {
      const file = files.get(row.file);
      if (file === undefined) throw new DamagedStoreError('a file is missing');
      return { ...row, file, origin: this.#originWith(row.origin) };
    });
    return withoutSuperseded(buckets);
  }

  /** Drops what was not committed. */
  close(): void {
    for (const statement of this.#statements.values()) {
      try {
        statement.finalize();
      } catch {
        // It failed before, and reports that again.
      }
    }
    // Closing writes to the file.
    if (this.#isHeld()) this.#database.close();
  }

  #add(record: HashedRecord, file: number): void {
    const { keys, time } = record;
    const place = { file, origin: this.#originOf(record.origin ?? NO_ORIGIN) };
    let usage: Usage | undefined;
    for (const key of keys) {
      const known = this.#usages.get(key);
      if (usage === undefined) usage = known;
      else if (known !== undefined && known !== usage) this.#merge(usage, known);
    }
    usage ??= { key: keys[0]!, keys: [], ...place, time, requests: [] };
    const former = usage.file;
    if (joinRecord(usage, record, place)) this.#noteChange(usage, former);
    for (const key of keys) {
      if (usage.keys.includes(key)) continue;
      this.#know(key, usage);
      this.#changed.add(usage);
    }
  }

  /** Adds the stored usages of these keys to the batch. */
  #find(keys: readonly number[]): void {
    for (const row of this.#rows(USAGE, FIND, { requests: REQUESTS }, JSON.stringify(keys))) {
      const { wanted, key, file, time } = row;
      const usage = this.#usages.get(key) ?? {
        key,
        keys: [key],
        file,
        origin: this.#originWith(row.origin),
        time,
        requests: listOf(row['requests']).map((each) => ({ ...shaped(each, REQUEST) })),
      };
      this.#usages.set(key, usage);
      if (wanted !== key) this.#know(wanted, usage);
    }
  }

  #know(key: number, usage: Usage): void {
    this.#usages.set(key, usage);
    usage.keys.push(key);
  }

  #merge(into: Usage, from: Usage): void {
    const former = into.file;
    joinUsage(into, from);
    this.#noteChange(into, former);
    this.#changed.delete(from);
    for (const key of from.keys) this.#know(key, into);
    // At once: the aliases of `from` that are not in the batch must lead to a stored usage.
    this.#save(into);
    this.#run('DELETE FROM usages WHERE key = ?', [from.key]);
    this.#run('UPDATE aliases SET usage = ? WHERE usage = ?', [into.key, from.key]);
  }

  /** Notes that a usage was changed, which belonged to the file `former` before. */
  #noteChange(usage: Usage, former: number): void {
    this.#changed.add(usage);
    this.#stale.add(former).add(usage.file);
  }

  #flush(): void {
    // In the order of the table: pages are then written once.
    for (const usage of [...this.#changed].sort((one, other) => one.key - other.key)) this.#save(usage);
    for (const file of this.#stale) {
      this.#run('DELETE FROM buckets WHERE file = ?', [file]);
      this.#run(ADD_BUCKETS, [file]);
    }
    for (const written of [this.#changed, this.#usages, this.#stale]) written.clear();
  }

  #save(usage: Usage): void {
    const { key, keys, file, origin, time, requests } = usage;
    const { counts, messages } = sumOf(usage);
    const { input, output, cache_read, cache_write } = counts;
    const stored = requests.length === 1 ? requests[0]!.request : JSON.stringify(requests);
    const values = [key, file, origin.id, time, input, output, cache_read, cache_write, messages, stored];
    this.#run('INSERT OR REPLACE INTO usages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', values);
    for (const alias of keys)
      if (alias !== key) this.#run('INSERT OR REPLACE INTO aliases VALUES (?, ?)', [alias, key]);
  }

  #originOf(origin: Origin): StoredOrigin {
    const known = this.#originsByText.get(originText(origin));
    if (known !== undefined) return known;
    const id = this.#originsById.size + 1;
    this.#run('INSERT INTO origins VALUES (?, ?, ?, ?)', [id, origin.model, origin.project, origin.session]);
    return this.#enterOrigin(id, origin);
  }

  #enterOrigin(id: number, { model, project, session }: Origin): StoredOrigin {
    const origin = { id, model, project, session, text: originText({ model, project, session }) };
    this.#originsById.set(id, origin);
    this.#originsByText.set(origin.text, origin);
    return origin;
  }

  #originWith(id: number): StoredOrigin {
    const origin = this.#originsById.get(id);
    if (origin === undefined) throw new DamagedStoreError('an origin is missing');
    return origin;
  }

  /** Rows as objects, with expressions by name beside the columns of the shape. As one JSON text. */
  #rows<const S extends Shape>(
    shape: S,
    from: string,
    expressions: Readonly<Record<string, string>> = {},
    ...values: SQLiteValue[]
  ): ReadonlyArray<Shaped<S> & JsonObject> {
    const columns = pairs(shape, expressions);
    const [row] = this.#statement(`SELECT json_group_array(json_object(${columns})) AS rows ${from}`).all(values);
    return listOf(parseJson(shaped(row, { rows: 'string' }).rows)).map((each) => shaped(each, shape));
  }

  #run(sql: string, values: SQLiteValue[]): void {
    if (!this.#database.inTransaction) this.#database.exec('BEGIN');
    this.#statement(sql).run(values);
  }

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }
}

/** The key of a file in the store. It includes the platform, because two sources may read the same file. */
export function fileKey({ platform, path }: Pick<FileEntry, 'platform' | 'path'>): string {
  return `${platform} ${path}`;
}

function originText({ model, project, session }: Origin): string {
  return JSON.stringify([session, project, model]);
}

/** Names and expressions for `json_object`. */
function pairs(shape: Shape, expressions: Readonly<Record<string, string>> = {}): string {
  const columns = Object.keys(shape).map((name) => [name, name]);
  return [...columns, ...Object.entries(expressions)].map(([name, expression]) => `'${name}', ${expression}`).join();
}

/** A stored JSON object; throws where it has another shape. */
function shaped<const S extends Shape>(value: unknown, shape: S): Shaped<S> & JsonObject {
  if (!hasShape(value, shape)) throw new DamagedStoreError('a value is of another type');
  return value;
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new DamagedStoreError('a list is no list');
  return value;
}

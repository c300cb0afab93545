import type { Database, SQLiteValue, Statement } from 'node-sqlite3-wasm';
import { CliError } from '../cli-error.ts';
import type { IsHeld } from '../files/lock.ts';
import type { Origin } from '../sources/source.ts';
import { BUCKET_SECONDS, type Bucket, type FileEntry, withoutSuperseded } from './buckets.ts';
import { Origins } from './origins.ts';
import { DamagedStoreError, requireSchema } from './schema.ts';
import {
  countOf,
  decodeRequests,
  decodeSkipped,
  encodeRequests,
  encodeSkipped,
  listOf,
  textOf,
  textOrNull,
} from './stored-values.ts';
import { type HashedRecord, joinRecord, joinUsage, type StoredOrigin, sumOf, type Usage } from './usage.ts';

/** A batch is written when it has so many keys: more take more memory. */
const BATCH_KEYS = 1_000;

/** Batches that are committed together: their keys are on all pages, which each commit writes. */
const BATCHES = 16;

/** The cache of pages, in KiB: keys are hashes, so that each usage is on another page. */
const CACHE_KIB = 8_192;

const NO_ORIGIN: Origin = { model: null, project: null, session: null };

/** The usages of the keys in a JSON array, which are their first keys or aliases. */
const FIND = `
  FROM json_each(?) AS wanted LEFT JOIN aliases ON aliases.key = wanted.value
    JOIN usages ON usages.key = coalesce(aliases.usage, wanted.value)`;

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
  #isChanged = false;
  readonly #database: Database;
  readonly #isHeld: IsHeld;
  readonly #isAtomic: boolean;
  /** By their SQL. */
  readonly #statements = new Map<string, Statement>();
  readonly #origins = new Origins();
  /** The batch, by each of their keys. */
  readonly #usages = new Map<number, Usage>();
  #batches = 0;
  readonly #changed = new Set<Usage>();
  /** Keys of the batch that are not stored, and those of usages that were merged into others. */
  readonly #newKeys = new Set<number>();
  readonly #merged = new Set<number>();
  /** Files whose buckets are not those of their usages. */
  readonly #stale = new Set<number>();

  /** `isAtomic`: nothing is committed before `commit`. */
  constructor(database: Database, isHeld: IsHeld, isAtomic: boolean) {
    this.#database = database;
    this.#isHeld = isHeld;
    this.#isAtomic = isAtomic;
  }

  /** Reads what is not read on demand. Throws where the file is not a store of this version. */
  load(): void {
    requireSchema(this.#database);
    this.#database.exec(`PRAGMA synchronous = NORMAL; PRAGMA cache_size = -${CACHE_KIB}`);
    const files = 'id, version, bytes, records, platform, path, fingerprint, skipped';
    for (const [id, version, bytes, records, platform, path, fingerprint, skipped] of this.#rows(files, 'FROM files')) {
      const entry = {
        id: countOf(id),
        version: countOf(version),
        bytes: countOf(bytes),
        records: countOf(records),
        platform: textOf(platform),
        path: textOf(path),
        fingerprint: textOf(fingerprint),
        skipped: decodeSkipped(skipped),
      };
      this.files.set(fileKey(entry), entry);
    }
    for (const [id, model, project, session] of this.#rows('id, model, project, session', 'FROM origins')) {
      const origin = { model: textOrNull(model), project: textOrNull(project), session: textOrNull(session) };
      this.#origins.enter(countOf(id), origin);
    }
  }

  /** Throws where anything of the file's structure is damaged. */
  check(): void {
    const row = this.#database.get('PRAGMA quick_check');
    if (row?.['quick_check'] !== 'ok') throw new DamagedStoreError('SQLite found damage');
  }

  get epoch(): number {
    return countOf(this.#rows('epoch', 'FROM state')[0]?.[0]);
  }

  set epoch(epoch: number) {
    this.#run('UPDATE state SET epoch = ?', [epoch]);
  }

  /** Whether anything was changed since it was opened. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  /** Enters a file, or replaces the entry of this platform and path. */
  enter(file: Omit<FileEntry, 'id'>): FileEntry {
    const key = fileKey(file);
    const id = this.files.get(key)?.id ?? this.files.size + 1;
    const { version, bytes, records, platform, path, fingerprint, skipped } = file;
    const values = [id, version, bytes, records, platform, path, fingerprint, encodeSkipped(skipped)];
    this.#run('INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?)', values);
    const entry = { ...file, id };
    this.files.set(key, entry);
    return entry;
  }

  /** Adds records of a file. Each call takes a query. */
  add(records: readonly HashedRecord[], file: Pick<FileEntry, 'id'>): void {
    const wanted = new Set<number>();
    for (const { keys } of records) for (const key of keys) if (!this.#usages.has(key)) wanted.add(key);
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
      throw new CliError(
        'files',
        'locked',
        'another run of this tool broke the lock of this one, which was suspended for long',
      );
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
    const columns = `file, origin, time, ${COUNT_COLUMNS}, messages, placeholders`;
    const buckets = this.#rows(columns, 'FROM buckets').map(([fileId, originId, ...numbers]) => {
      const [file, origin] = [files.get(countOf(fileId)), this.#origins.get(countOf(originId))];
      if (file === undefined) throw new DamagedStoreError('a file is missing');
      const [time, input, output, cache_read, cache_write, messages, placeholders] = numbers.map(countOf);
      return {
        file,
        origin,
        time: time!,
        input: input!,
        output: output!,
        cache_read: cache_read!,
        cache_write: cache_write!,
        messages: messages!,
        placeholders: placeholders!,
      };
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
      this.#newKeys.add(key);
      this.#know(key, usage);
    }
  }

  /** Adds the stored usages of these keys to the batch. */
  #find(keys: readonly number[]): void {
    const columns = `wanted.value, usages.key, file, origin, time, requests, ${COUNT_COLUMNS}`;
    for (const row of this.#rows(columns, FIND, JSON.stringify(keys))) {
      const [value, first, file, originId, time, requests, ...counts] = row;
      const [wanted, key] = [countOf(value), countOf(first)];
      const origin = this.#origins.get(countOf(originId));
      const stored = { key, keys: [key], file: countOf(file), time: countOf(time), origin };
      const usage = this.#usages.get(key) ?? { ...stored, requests: decodeRequests(requests, counts) };
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
    this.#stale.add(from.file);
    this.#changed.delete(from);
    this.#merged.add(from.key);
    for (const key of from.keys) this.#know(key, into);
  }

  /** Notes that a usage was changed, which belonged to the file `former` before. */
  #noteChange(usage: Usage, former: number): void {
    this.#changed.add(usage);
    this.#stale.add(former).add(usage.file);
  }

  #flush(): void {
    const usageOf = (key: number): number => this.#usages.get(key)!.key;
    for (const key of this.#merged) {
      this.#run('DELETE FROM usages WHERE key = ?', [key]);
      this.#run('UPDATE aliases SET usage = ? WHERE usage = ?', [usageOf(key), key]);
    }
    for (const key of [...this.#merged, ...this.#newKeys]) {
      if (usageOf(key) !== key) this.#run('INSERT OR REPLACE INTO aliases VALUES (?, ?)', [key, usageOf(key)]);
    }
    // In the order of the table: pages are then written once.
    for (const usage of [...this.#changed].sort((one, other) => one.key - other.key)) {
      const { counts, messages } = sumOf(usage);
      const { input, output, cache_read, cache_write } = counts;
      const place = [usage.key, usage.file, usage.origin.id, usage.time];
      const values = [...place, input, output, cache_read, cache_write, messages, encodeRequests(usage.requests)];
      this.#run('INSERT OR REPLACE INTO usages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', values);
    }
    for (const file of this.#stale) {
      this.#run('DELETE FROM buckets WHERE file = ?', [file]);
      this.#run(ADD_BUCKETS, [file]);
    }
    for (const written of [this.#merged, this.#newKeys, this.#changed, this.#usages, this.#stale]) written.clear();
  }

  #originOf(origin: Origin): StoredOrigin {
    return this.#origins.find(origin, ({ id, model, project, session }) => {
      this.#run('INSERT INTO origins VALUES (?, ?, ?, ?)', [id, model, project, session]);
    });
  }

  /** The columns of each row, read as one JSON text: the driver takes some microseconds for each value. */
  #rows(columns: string, from: string, ...values: SQLiteValue[]): readonly (readonly unknown[])[] {
    const [row] = this.#statement(`SELECT json_group_array(json_array(${columns})) AS rows ${from}`).all(values);
    return listOf(row?.['rows']).map(listOf);
  }

  #run(sql: string, values: SQLiteValue[]): void {
    if (!this.#database.inTransaction) this.#database.exec('BEGIN');
    this.#isChanged = true;
    this.#statement(sql).run(values);
  }

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }
}

const COUNT_COLUMNS = 'input, output, cache_read, cache_write';

/** The key of a file in the store. It includes the platform, because two sources may read the same file. */
export function fileKey({ platform, path }: Pick<FileEntry, 'platform' | 'path'>): string {
  return `${platform} ${path}`;
}

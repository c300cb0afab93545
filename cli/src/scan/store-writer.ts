import { SKIP_REASONS } from '../sources/source.ts';
import { UNKNOWN_ORIGIN } from '../store/origins.ts';
import { fileKey, fileNumbers, NOTHING_SKIPPED, type UsageStore } from '../store/usage-store.ts';
import { type LogFile, type ReadRecord, type ReadResult, readLogFile } from './read-log-file.ts';

/** A file modified this shortly before it was read may change again within its timestamp's resolution, in milliseconds. */
const RACY_MS = 2_000;

/** A fingerprint that no file has, so that the next scan reads the file again. */
const NO_FINGERPRINT = '';

export interface ScanContext {
  readonly store: UsageStore;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Adds to the bytes that are done: read, or unchanged since the last scan. */
  readonly progress: (bytes: number) => void;
  /** Called between files: gives the event loop a turn when one is due. */
  readonly giveTurn?: () => void | Promise<void>;
  /** Maximum number of scan workers. */
  readonly workers: number;
}

/** The outcome for a file: unchanged or read, with its number in the store; or the system's error. */
export type FileOutcome =
  | { readonly kind: 'known' | 'read'; readonly number: number }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Adds what is read from log files to a store. */
export class StoreWriter {
  readonly #store: UsageStore;
  readonly #numbers: Map<string, number>;

  constructor(store: UsageStore) {
    this.#store = store;
    this.#numbers = fileNumbers(store.files);
  }

  /** Enters a file before its records, which refer to its number, also when its reading fails half-way. */
  begin(file: LogFile): number {
    const { path, bytes, source } = file;
    const { platform, version } = source;
    const key = fileKey({ platform, path });
    const number = this.#numbers.get(key) ?? this.#store.files.length;
    this.#numbers.set(key, number);
    const none = { records: 0, skipped: NOTHING_SKIPPED };
    this.#store.files[number] = { path, platform, version, fingerprint: NO_FINGERPRINT, bytes, ...none };
    if (!this.#store.platforms.includes(platform)) this.#store.platforms.push(platform);
    return number;
  }

  add({ keys, request, counts, time, origin }: ReadRecord, file: number): void {
    const { table, files, platforms } = this.#store;
    table.add({
      keys,
      request,
      counts,
      time,
      file,
      platform: platforms.indexOf(files[file]!.platform),
      origin: origin === undefined ? UNKNOWN_ORIGIN : table.origins.number(origin),
    });
  }

  /** Completes the entry of a file. `now` is a moment before the reading, in milliseconds since the epoch. */
  end({ fingerprint, modified }: LogFile, number: number, result: ReadResult, now: number): FileOutcome {
    if ('reason' in result) return { kind: 'unreadable', ...result };
    const isRacy = now - modified < RACY_MS;
    const entry = this.#store.files[number]!;
    const skipped = SKIP_REASONS.some((reason) => result.skipped[reason] > 0) ? result.skipped : NOTHING_SKIPPED;
    const read = { records: result.records, skipped, fingerprint: isRacy ? NO_FINGERPRINT : fingerprint };
    this.#store.files[number] = { ...entry, ...read };
    return { kind: 'read', number };
  }
}

/** Reads files into the store, one after the other. Adds the outcomes to `outcomes`. */
export async function readSequentially(
  files: readonly LogFile[],
  { store, now, progress, giveTurn }: ScanContext,
  outcomes: Map<LogFile, FileOutcome>,
): Promise<void> {
  const writer = new StoreWriter(store);
  for (const file of files) {
    const startedAt = now();
    const number = writer.begin(file);
    const result = await readLogFile(file, progress, (record) => writer.add(record, number));
    outcomes.set(file, writer.end(file, number, result, startedAt));
    await giveTurn?.();
  }
}

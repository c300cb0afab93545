import type { Platform } from '../../../engine/contract/platforms.ts';
import type { Counting, Counts } from '../../../engine/contract/signing/index.ts';
import type { Environment } from '../environment.ts';

/** Why a record that might contain counts was skipped. */
export const SKIP_REASONS = [
  /** Not a JSON object. */
  'not_json',
  /** The last line of a file, cut off while it was being written. */
  'truncated',
  /** Longer than the tool loads. */
  'too_long',
  /** A count that is not a number from 0 to the maximum of a snapshot. */
  'invalid_counts',
  /** No key to recognize repeats by. */
  'no_identity',
  /** Written by the tool itself, not by a model: no tokens were spent. */
  'synthetic',
  /** Not skipped but counted: a request of a type that this version does not know. */
  'unknown_type',
] as const;

export type SkipReason = (typeof SKIP_REASONS)[number];

/** A file or folder that could not be read, and the system's error code. */
export interface Unreadable {
  readonly path: string;
  readonly reason: string;
}

/** Thrown for a log that the tool recognizes and cannot read; the code is shown with its path. */
export class UnreadLogError extends Error {
  override readonly name = 'UnreadLogError';

  readonly code: string;

  constructor(code: 'COMPRESSED' | 'ENCRYPTED' | 'NEWER_FORMAT') {
    super(`the log is not read: ${code}`);
    this.code = code;
  }
}

/** A folder or file that was searched. */
export interface Place {
  readonly path: string;
  readonly found: boolean;
}

/** Where a usage comes from, for the local views; null where the log does not name it. It never leaves the machine. */
export interface Origin {
  readonly model: string | null;
  /** The folder that the tool worked in, or the tool's name for it. */
  readonly project: string | null;
  readonly session: string | null;
}

/** The usage in one record of a log. */
export interface UsageRecord {
  /** At least one. Records that share a key are one usage, rewritten or copied; the maximum of each field counts. */
  readonly keys: readonly string[];
  /** The request within a message; requests of one message add up. Null: the message as a whole. */
  readonly request: string | null;
  /** Whether it may be a copy in a sub-agent's log, which counts where no other record of the usage is known. */
  readonly isCopy?: boolean;
  readonly counts: Counts;
  /** When the tokens were spent, in milliseconds since the epoch; null when the record has no time. */
  readonly at: number | null;
  /** Absent: nothing is known. */
  readonly origin?: Origin | undefined;
}

/** Receives what a source reads from a file. */
export interface UsageSink {
  add(record: UsageRecord): void;
  skip(reason: SkipReason): void;
  /** Reports that so many further bytes of the file were read: needed for long files only. */
  advance(bytes: number): void;
}

/** A tool whose logs can be counted: one module each, registered in `registry.ts`. */
export interface Source {
  /** The signed platform name. The same tool has the same name everywhere; names are never changed or reused. */
  readonly platform: Platform;
  /** The tool's name for people. */
  readonly title: string;
  /** Exact: counts are taken as written. Derived: some are computed from others, as `mapping` describes. */
  readonly counting: Counting;
  /** How the tool's fields map to the four counts, for people. */
  readonly mapping: string;
  /** Increment it when the same file would be counted differently; all files are then read again. */
  readonly version: number;
  /** Where this tool stores its logs, most specific first. Does no I/O. */
  places(env: Environment): readonly string[];
  /** Whether a file is a log of this tool, by its path. */
  isLog(path: string): boolean;
  /** Further files of a log: a change in them is a change of the log. */
  companions?(path: string): readonly string[];
  /** Reads one file. Throws system errors, and `UnreadLogError` for another form of log; nothing else because of the file's content. */
  read(path: string, sink: UsageSink): void | Promise<void>;
}

import type { Counts } from '../../../engine/contract/signing/index.ts';
import type { Environment } from '../environment.ts';
import type { Platform } from './platforms.ts';

/** Why a record that might have held counts was left out. Stored by position: new ones go to the end. */
export const SKIP_REASONS = [
  /** Not one JSON object. */
  'not_json',
  /** The last line of a file, cut off while it was being written. */
  'truncated',
  /** Longer than the tool loads. */
  'too_long',
  /** A count that is no finite number of at least 0. */
  'invalid_counts',
  /** Nothing to tell it from a repeat of another record. */
  'no_identity',
  /** Written by the tool itself in a model's place: no tokens were spent. */
  'synthetic',
] as const;

export type SkipReason = (typeof SKIP_REASONS)[number];

/** A file or folder that could not be read, and what the system said. */
export interface Unreadable {
  readonly path: string;
  readonly reason: string;
}

/** A place that was looked at. */
export interface Place {
  readonly path: string;
  readonly found: boolean;
}

/** The usage that one record of a log tells of. */
export interface UsageRecord {
  /**
   * The names this usage goes by, at least one. Records that share a name are one usage, told several times: rewritten,
   * copied or replayed. Of each field the greatest counts.
   */
  readonly keys: readonly string[];
  /** The request within a message; requests of one message add up. Null: the message as a whole. */
  readonly request: string | null;
  readonly counts: Counts;
  /** When the tokens were spent, in milliseconds since the epoch; null when the record does not say. */
  readonly at: number | null;
}

/** Takes in what a source reads from a file. */
export interface UsageSink {
  add(record: UsageRecord): void;
  skip(reason: SkipReason): void;
}

/** A tool whose logs can be counted. One module each; `registry.ts` lists them. */
export interface Source {
  /** The platform name that is signed and submitted. */
  readonly platform: Platform;
  /** The tool's name for people. */
  readonly title: string;
  /** Verified: held against real logs or several public parsers. Experimental: the format is known from one of them. */
  readonly standing: 'verified' | 'experimental';
  /** Exact: counts are taken as written. Derived: some follow from others, as `mapping` says. */
  readonly counting: 'exact' | 'derived';
  /** How the tool's fields become the four counts, in a sentence. */
  readonly mapping: string;
  /** Raised whenever the same file would be counted differently; files are then read anew. */
  readonly version: number;
  /** Where this tool keeps its logs, most specific first. Touches nothing. */
  places(env: Environment): readonly string[];
  /** Whether a file is a log of this tool, judged by its path alone. */
  isLog(path: string): boolean;
  /** Further files that a log consists of: a change in them is a change of the log. */
  companions?(path: string): readonly string[];
  /** Reads one file. Throws what the system throws, never for what the file holds. */
  read(path: string, sink: UsageSink): void | Promise<void>;
}

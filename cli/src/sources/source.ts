import type { Counts } from '../../../engine/contract/signing/index.ts';
import type { Environment } from '../environment.ts';

/** Why a line that might have held counts was left out. */
export const SKIP_REASONS = [
  /** Not one JSON object. */
  'not_json',
  /** The last line of a file, cut off while it was being written. */
  'truncated',
  /** Longer than the tool loads. */
  'too_long',
  /** A count that is no finite number of at least 0. */
  'invalid_counts',
  /** Nothing to tell it from a repeat of another line. */
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

/** What a source found: totals, and enough to judge them by. */
export interface SourceScan {
  readonly platform: string;
  readonly title: string;
  readonly totals: Counts;
  /** Distinct answers of a model. */
  readonly messages: number;
  /** Lines that repeated a message already seen. */
  readonly repeats: number;
  /** Messages whose input is 0 or 1 though other tokens were counted: what a placeholder looks like. */
  readonly placeholders: number;
  readonly places: readonly Place[];
  readonly files: number;
  readonly bytes: number;
  readonly skipped: Readonly<Record<SkipReason, number>>;
  readonly unreadable: readonly Unreadable[];
}

/** A tool whose logs can be counted. One module each; `registry.ts` lists them. */
export interface Source {
  /** The platform name that is signed and submitted. */
  readonly platform: string;
  /** The tool's name for people. */
  readonly title: string;
  /** Where this tool keeps its logs, most specific first. Touches nothing. */
  places(env: Environment): readonly string[];
  /** Counts what the tool's logs under these folders hold. Never throws for what a file holds. */
  scan(places: readonly string[]): Promise<SourceScan>;
}

import type { Counts } from '../../../engine/contract/signing/index.ts';

/** A snapshot of a history. Times are milliseconds since the epoch, in whole seconds. */
export interface Submission {
  /** When it is submitted, by the service's clock. */
  readonly at: number;
  /** The time of the totals, by the machine's clock: at most 90 days before `at`, at most 5 minutes after it. */
  readonly asOf: number;
  /** The machine's ledger. */
  readonly stream: string;
  readonly platform: string;
  readonly epoch: number;
  /** Cumulative for a stream, platform and epoch. */
  readonly counts: Counts;
}

/** The submissions of one operator, in the order of `at`. */
export interface History {
  readonly kind: string;
  /** The platform of the source that most of it comes from. */
  readonly source: string;
  readonly submissions: readonly Submission[];
  readonly honest: boolean;
  /**
   * What a forgery violates: `arithmetic`, such as output or reads that grow without any input, or `physics`, such as more
   * reads than requests of one token of input each can read of the largest context. null: it is at most implausible.
   */
  readonly beyond: 'arithmetic' | 'physics' | null;
  /** The honest history that this one copies. */
  readonly original?: History;
}

/** Whether it has counts that are refused for their form. */
export const isRefused = ({ submissions }: History): boolean =>
  submissions.some(({ counts }) => Object.values(counts).some((count) => !Number.isSafeInteger(count)));

/** The present of every history: its submissions end here. */
export const PRESENT = Date.UTC(2026, 10, 16, 12);

export const zero: Counts = { input: 0, output: 0, cache_read: 0, cache_write: 0 };

export const mapCounts = (counts: Counts, change: (count: number, field: keyof Counts) => number): Counts => ({
  input: change(counts.input, 'input'),
  output: change(counts.output, 'output'),
  cache_read: change(counts.cache_read, 'cache_read'),
  cache_write: change(counts.cache_write, 'cache_write'),
});

export const bySubmission = (left: Submission, right: Submission): number =>
  left.at - right.at || left.asOf - right.asOf || left.epoch - right.epoch;

import type { Counts } from '../../../engine/contract/signing/index.ts';
import type { Place, SkipReason, Source, Unreadable } from '../sources/source.ts';

/** A tool's usage: totals, and how they were counted. */
export interface SourceScan {
  readonly platform: string;
  readonly title: string;
  readonly support: Source['support'];
  readonly counting: Source['counting'];
  /** Everything ever counted, including usage whose logs were deleted. */
  readonly totals: Counts;
  /** Distinct responses of a model. */
  readonly messages: number;
  /** Messages whose logs were deleted. */
  readonly kept: number;
  /** Records that repeated a known message. */
  readonly repeats: number;
  /** Messages with an input of 0 or 1 although other tokens were counted, which suggests a placeholder. */
  readonly placeholders: number;
  readonly places: readonly Place[];
  readonly files: number;
  /** Files that were read in this scan; the others are unchanged. */
  readonly changed: number;
  readonly bytes: number;
  readonly skipped: Readonly<Record<SkipReason, number>>;
  readonly unreadable: readonly Unreadable[];
}

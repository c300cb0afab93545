import type { Counts } from '../../../engine/contract/signing/index.ts';
import type { Place, SkipReason, Source, Unreadable } from '../sources/source.ts';

/** What is known of a tool's usage: totals, and enough to judge them by. */
export interface SourceScan {
  readonly platform: string;
  readonly title: string;
  readonly standing: Source['standing'];
  readonly counting: Source['counting'];
  /** Everything ever counted: what the logs show now, and what they showed before they were deleted. */
  readonly totals: Counts;
  /** Distinct answers of a model. */
  readonly messages: number;
  /** Those among them whose logs are gone. */
  readonly kept: number;
  /** Records that repeated an answer already known. */
  readonly repeats: number;
  /** Messages whose input is 0 or 1 though other tokens were counted: what a placeholder looks like. */
  readonly placeholders: number;
  readonly places: readonly Place[];
  readonly files: number;
  /** Files that were read now, the others being known from before. */
  readonly changed: number;
  readonly bytes: number;
  readonly skipped: Readonly<Record<SkipReason, number>>;
  readonly unreadable: readonly Unreadable[];
}

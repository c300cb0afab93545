import { type Counts, MAX_COUNT } from '../../../engine/contract/signing/index.ts';
import { CliError } from '../cli-error.ts';
import type { SourceScan } from '../sources/source.ts';
import { higherOf, type Ledger } from './ledger.ts';

/** What is to be submitted for a platform, and what it comes from. */
export interface PlatformTotals {
  readonly scan: SourceScan;
  /** Per field the higher of what the logs show now and what was submitted before. */
  readonly totals: Counts;
  /** The fields in which the logs show less than was submitted before. */
  readonly below: ReadonlyArray<keyof Counts>;
}

/** Joins scans with the ledger, which outlives the logs. Throws when a total is more than a snapshot can carry. */
export function joinWithLedger(scans: readonly SourceScan[], ledger: Ledger | null): readonly PlatformTotals[] {
  return scans.map((scan) => {
    const { totals, below } = higherOf(ledger?.platforms.get(scan.platform), scan.totals);
    if (Object.values(totals).some((count) => count > MAX_COUNT)) {
      throw new CliError(
        'refused',
        'count_too_large',
        `the logs of ${scan.title} add up to more than a snapshot can carry`,
        'A log with made-up counts can cause this. Name the folders to count with --source-dir.',
      );
    }
    return { scan, totals, below };
  });
}

/** Whether there is anything to submit for a platform. */
export function hasTokens(each: PlatformTotals): boolean {
  return Object.values(each.totals).some((count) => count > 0);
}

import { COUNT_FIELDS, type Counts, MAX_COUNT } from '../../../engine/contract/signing/index.ts';
import { CliError } from '../cli-error.ts';
import { printable } from '../net/problem.ts';
import type { SourceScan } from '../scan/scan-sources.ts';
import { findSubmission, type Ledger } from './ledger.ts';

/** The totals to submit for a platform, and the scan that they come from. */
export interface PlatformTotals {
  readonly scan: SourceScan;
  readonly totals: Counts;
  /** The fields that are lower than what was submitted before, because part of the store was lost. */
  readonly below: ReadonlyArray<keyof Counts>;
}

/** Compares scans with what was submitted before. Throws when a total exceeds what a snapshot can carry. */
export function joinWithLedger(
  scans: readonly SourceScan[],
  ledger: Ledger | null,
  { baseUrl, codename }: { readonly baseUrl: string; readonly codename: string | null },
): readonly PlatformTotals[] {
  return scans.map((scan) => {
    const { totals, platform } = scan;
    if (Object.values(totals).some((count) => count > MAX_COUNT)) {
      const message =
        `the logs of ${scan.title} add up to more than a snapshot can carry; ` +
        `the largest counts are from ${printable(scan.largest)}`;
      const hint =
        'If they are made up, remove these records from the file, or all its content, then run: upsilon recount. If the file is ' +
        'gone, run: upsilon recount --logs-only, which also drops all imports and all usage whose logs were deleted.';
      throw new CliError('refused', 'count_too_large', message, hint);
    }
    const known = codename === null ? null : findSubmission(ledger, { base_url: baseUrl, codename, platform });
    const before = known?.counts;
    return { scan, totals, below: before ? COUNT_FIELDS.filter((field) => totals[field] < before[field]) : [] };
  });
}

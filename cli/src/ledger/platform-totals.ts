import { COUNT_FIELDS, type Counts, MAX_COUNT } from '../../../engine/contract/signing/index.ts';
import { CliError } from '../cli-error.ts';
import type { SourceScan } from '../scan/source-scan.ts';
import { findSubmission, type Ledger } from './ledger.ts';

/** The totals to submit for a platform, and the scan that they come from. */
export interface PlatformTotals {
  readonly scan: SourceScan;
  readonly totals: Counts;
  /** The fields that are lower than what was submitted before, because part of the store was lost. */
  readonly below: ReadonlyArray<keyof Counts>;
}

export interface Destination {
  readonly baseUrl: string;
  readonly codename: string | null;
}

/** Compares scans with what was submitted before. Throws when a total exceeds what a snapshot can carry. */
export function joinWithLedger(
  scans: readonly SourceScan[],
  ledger: Ledger | null,
  { baseUrl, codename }: Destination,
): readonly PlatformTotals[] {
  return scans.map((scan) => {
    const { totals, platform } = scan;
    if (Object.values(totals).some((count) => count > MAX_COUNT)) {
      throw new CliError(
        'refused',
        'count_too_large',
        `the logs of ${scan.title} add up to more than a snapshot can carry`,
        'A log with made-up counts can cause this. Move it away, then run: upsilon recount --logs-only',
      );
    }
    const before =
      codename === null ? null : (findSubmission(ledger, { base_url: baseUrl, codename, platform })?.counts ?? null);
    const below = before === null ? [] : COUNT_FIELDS.filter((field) => totals[field] < before[field]);
    return { scan, totals, below };
  });
}

export function hasTokens(each: PlatformTotals): boolean {
  return Object.values(each.totals).some((count) => count > 0);
}

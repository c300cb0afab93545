/** Pure functions: merge snapshots into samples, and summarise samples as window totals. */
export { DAILY_DAYS, valueBefore } from './counter-series.ts';
export { dayOf, firstHourOf, hourOf } from './hours.ts';
export * from './operator-state.ts';
export { mergeProvenance, type Provenance, VERSION_STEP, versionText } from './provenance.ts';
export { dayOfCounts, dayOfReceipt, receiptKey } from './receipts.ts';
export { isSameNumbers, PLATFORM_NUMBERS, TOTALS_NUMBERS, witnessedTotals } from './window-summary.ts';
export type { OlderDays } from './witness.ts';

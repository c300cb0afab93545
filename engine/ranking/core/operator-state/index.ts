/** Pure functions: merge snapshots into samples, and summarise samples as window totals. */
export { type CounterSeries, DAILY_DAYS, newestValue } from './counter-series.ts';
export { dayOf, firstHourOf, hourOf } from './hours.ts';
export * from './operator-state.ts';
export { mergeProvenance, type Provenance, VERSION_STEP, versionText } from './provenance.ts';

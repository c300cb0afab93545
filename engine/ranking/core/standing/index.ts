/** The pure fold: snapshots into marks, marks into window totals. */
export { factsOf } from './facts-of.ts';
export { dayOf, firstHourOf, HOUR_MS, hourOf } from './hours.ts';
export { DAILY_DAYS, type MarkSeries } from './mark-series.ts';
export {
  emptyStanding,
  type FactOutcome,
  foldStanding,
  MAX_STREAMS,
  type Standing,
  type Stream,
  standingAt,
  type UsageFact,
} from './standing.ts';

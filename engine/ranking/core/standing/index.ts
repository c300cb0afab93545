/** The pure fold: snapshots into marks, marks into window totals. */
export { HOUR_MS, hourOf } from './hours.ts';
export type { MarkSeries } from './mark-series.ts';
export {
  emptyStanding,
  type FactOutcome,
  foldStanding,
  MAX_STREAMS,
  type Standing,
  type Stream,
  type UsageFact,
} from './standing.ts';

/** The pure fold: snapshots into marks, marks into window totals. */

export { type CounterSeries, DAILY_DAYS } from './counter-series.ts';
export { factsOf } from './facts-of.ts';
export { dayOf, firstHourOf, HOUR_MS, hourOf } from './hours.ts';
export {
  applySamples,
  emptyState,
  type FactOutcome,
  MAX_STREAMS,
  type OperatorState,
  type Stream,
  stateAt,
  type UsageFact,
} from './operator-state.ts';

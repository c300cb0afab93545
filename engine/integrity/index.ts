/** How rows are judged: settled, held or excluded, and why. Pure. */

export * from './judge.ts';
export { MEASURES, type Measure } from './measures.ts';
export type { Covered, Measured, Review } from './review.ts';
export { type Quantiles, type Reference, RULE_SETS, type RuleSet } from './rule-sets.ts';
export * from './rules.ts';
export {
  PLACE_OF,
  SOURCES,
  sourceOf,
  unsupportedOf,
  WINDOW_NUMBER_NAMES,
  WINDOW_NUMBERS,
  windowNumber,
} from './window-numbers.ts';

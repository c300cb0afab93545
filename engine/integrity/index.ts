/** How rows are judged: settled, held or excluded, and why. Pure. */

export {
  type Assertions,
  type Judge,
  type JudgedWindow,
  judgeUnder,
  measureOf,
  NEED_STEPS,
  type Need,
  NO_ASSERTIONS,
  WAIVABLE,
  WAIVED_TIMES,
  WAIVERS,
  waiverOf,
} from './judge.ts';
export { COUNTING_MEASURES, MEASURE_WORDS } from './measure-words.ts';
export type { Measured, Review } from './review.ts';
export type { Quantiles, Reference, RuleSet } from './rule-set.ts';
export { RULE_SETS } from './rule-sets.ts';
export {
  bitOf,
  type Checked,
  EXCLUDING,
  type IntegrityFinding,
  type Measure,
  maskOf,
  RULES,
  type Rule,
  ruleNamed,
  rulesIn,
  SEVERITIES,
  type Severity,
} from './rules.ts';
export { SOURCES, sourceOf } from './sources.ts';
export {
  PLACE_OF,
  unsupportedOf,
  WINDOW_NUMBER_NAMES,
  WINDOW_NUMBERS,
  windowNumber,
} from './window-numbers.ts';

/** Rules of plausibility: which rows are noted, flagged or excluded, and why. Pure. */
import type { RuleSet } from './rule-set.ts';
import { ruleSet1 } from './rule-set-1.ts';

export { COUNTING_MEASURES, FINDING_WORDS, MEASURE_WORDS, MEASUREMENT_WORDS } from './measure-words.ts';
export { type Assertions, type MaskOf, maskUnder, measureOf, NO_ASSERTIONS } from './rule-mask.ts';
export { boundFor, type RuleBound, type RuleSet } from './rule-set.ts';
export {
  bitOf,
  type Checked,
  EXCLUDING,
  FLAGGING,
  type IntegrityFinding,
  type Measure,
  maskOf,
  RULES,
  type Rule,
  ruleNamed,
  rulesIn,
  SEVERITIES,
  type Severity,
  type StreamMeasure,
} from './rules.ts';
export { RELEASE_HOURS, SOURCES, sourceOf } from './sources.ts';
export {
  joinTotals,
  STATISTICS,
  type Statistic,
  splitTotals,
  statisticAt,
  statisticsOf,
  THRESHOLDS,
  WINDOW_NUMBERS,
} from './statistics.ts';

/** Every rule set, by number. Never edit a published one: add one with the next number. */
export const RULE_SETS: ReadonlyMap<number, RuleSet> = new Map([ruleSet1].map((set) => [set.id, set]));

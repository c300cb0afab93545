import { RULE_SETS, type RuleSet } from '../../engine/integrity/index.ts';
import { METHODOLOGIES, type Methodology } from '../../engine/ranking/methodologies/index.ts';
import { methodology2 } from '../../engine/ranking/methodologies/methodology-2.ts';

/** The number of a rule set with bounds that the few tokens of tests cross, and of the methodology that has it. */
const OTHER = 900;

const set: RuleSet = {
  id: OTHER,
  bounds: Object.entries({
    'too-many-agents': 3,
    'no-input': 50,
    'reads-beyond-context': 100,
    'output-beyond-response': 100_000,
    'unfilled-cache': 2,
    'unusual-leverage': 3,
    'unusual-velocity': 3,
    'unusual-yield': 50,
    'only-in-window': 0.01,
    'erased-input': 0.5,
    'repeated-growth': 0,
    'many-agents': 0.000_1,
  }).map(([rule, above]) => ({
    rule,
    above,
    platforms: { 'claude-code': above * 1.5 },
    calibration: 'Of tests.',
    vectors: [],
  })),
};

/** A methodology of a later release. */
export const OTHER_METHODOLOGY: Methodology = { ...methodology2, id: OTHER, rules: OTHER };

/** Adds both to this process, as a release that has them would. */
export function addOtherBounds(): void {
  mapOf(RULE_SETS).set(OTHER, set);
  mapOf(METHODOLOGIES).set(OTHER, OTHER_METHODOLOGY);
}

/** Has both in the process of the tests for the time of a suite. */
export function useOtherBounds(): void {
  before(addOtherBounds);
  after(() => {
    mapOf(RULE_SETS).delete(OTHER);
    mapOf(METHODOLOGIES).delete(OTHER);
  });
}

function mapOf<K, V>(map: ReadonlyMap<K, V>): Map<K, V> {
  if (!(map instanceof Map)) throw new Error('rule sets and methodologies are not kept in maps');
  return map;
}

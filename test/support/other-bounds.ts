import { RULE_SETS, type RuleSet } from '../../engine/integrity/index.ts';
import { METHODOLOGIES, type Methodology } from '../../engine/ranking/methodologies/index.ts';
import { methodology2 } from '../../engine/ranking/methodologies/methodology-2.ts';

/** A rule set with bounds that the few tokens of tests cross, and the methodology that has it, in the place of a later release's. */
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
    'unusual-velocity': 200,
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

/** Adds them to this process, as a release that has them would, and returns the methodology. */
export function addOtherBounds(): Methodology {
  const methodology = { ...methodology2, id: OTHER, rules: OTHER };
  if (!(RULE_SETS instanceof Map && METHODOLOGIES instanceof Map)) throw new Error('rule sets are not kept in maps');
  RULE_SETS.set(OTHER, set);
  METHODOLOGIES.set(OTHER, methodology);
  return methodology;
}

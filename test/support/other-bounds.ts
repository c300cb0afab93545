import { RULE_SETS, type RuleSet } from '../../engine/integrity/index.ts';
import { METHODOLOGIES, type Methodology } from '../../engine/ranking/methodologies/index.ts';
import { methodology2 } from '../../engine/ranking/methodologies/methodology-2.ts';

/** The number of a rule set that the few tokens and days of tests cross, and of the methodology that has it. */
const OTHER = 900;

const set: RuleSet = {
  id: OTHER,
  bounds: { unsupported: 50, context: 2_000, velocity: 3_000 },
  calibration: { unsupported: 'Of tests.', context: 'Of tests.', velocity: 'Of tests.' },
  reference: {
    origin: 'Of tests.',
    all: { p75: 0.5, p90: 1, p99: 2 },
    platforms: { 'claude-code': { p75: 0.2, p90: 2, p99: 20 }, codex: { p75: 0.1, p90: 0.2, p99: 0.4 } },
  },
};

/** A methodology of a later release. */
export const OTHER_METHODOLOGY: Methodology = { ...methodology2, id: OTHER, rules: OTHER };

/** Adds both to this process, as a release that has them would. */
export function addOtherBounds(): void {
  addRules(set, OTHER_METHODOLOGY);
}

/** Has both in the process of the tests for the time of a suite. */
export function useOtherBounds(): void {
  before(addOtherBounds);
  after(() => removeRules(OTHER_METHODOLOGY));
}

/** Adds a rule set and the methodology that has it. */
export function addRules(added: RuleSet, methodology: Methodology): void {
  mapOf(RULE_SETS).set(added.id, added);
  mapOf(METHODOLOGIES).set(methodology.id, methodology);
}

export function removeRules({ id, rules }: Methodology): void {
  mapOf(RULE_SETS).delete(rules!);
  mapOf(METHODOLOGIES).delete(id);
}

function mapOf<K, V>(map: ReadonlyMap<K, V>): Map<K, V> {
  if (!(map instanceof Map)) throw new Error('rule sets and methodologies are not kept in maps');
  return map;
}

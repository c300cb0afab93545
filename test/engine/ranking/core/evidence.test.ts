import { expect } from 'chai';
import { WINDOWS } from '../../../../engine/contract/windows.ts';
import {
  bitOf,
  MEASURES,
  NO_ASSERTIONS,
  ruleNamed,
  rulesIn,
  WAIVERS,
  waiverOf,
} from '../../../../engine/integrity/index.ts';
import { evidenceOf } from '../../../../engine/ranking/core/evidence.ts';
import { applySamples, samplesOf, stateAt } from '../../../../engine/ranking/core/operator-state/index.ts';
import { scoreRecord } from '../../../../engine/ranking/core/score-record.ts';
import { METHODOLOGIES } from '../../../../engine/ranking/methodologies/index.ts';
import { explainUsage } from '../../../../engine/ranking/operators/explain-operator.ts';
import { forgedHistories } from '../../../support/histories/forged.ts';
import { replay } from '../../../support/histories/replay.ts';
import { runSeed } from '../../../support/seeded-random.ts';

const methodology = METHODOLOGIES.get(4)!;
const DAY_HOURS = 24;
const NO_WAIVERS = [...NO_ASSERTIONS.waived];
const SEED = runSeed();

describe('evidence', () => {
  /** The last state of every forged history, and the same some days later. */
  const states = forgedHistories(SEED).flatMap((history) => {
    const last = [...replay(history, 1)].at(-1);
    if (last === undefined) return [];
    return [last, applySamples(last, [], last.hour + 3 * DAY_HOURS).operatorState];
  });

  it(`cites exactly the rules of the mask, with values above their bounds (seed ${SEED})`, () => {
    const cited = new Set<string>();
    for (const { totals } of states) {
      const record = { totals, assertions: NO_ASSERTIONS };
      const evidence = evidenceOf(record, methodology);
      for (const [window, { mask }] of scoreRecord(record, methodology).entries()) {
        const own = evidence.filter((each) => each.window === WINDOWS[window]);
        expect(own.map(({ rule }) => rule)).to.deep.equal(rulesIn(mask).map(({ name }) => name));
      }
      for (const { rule, measure, measured, bound, ratio } of evidence) {
        cited.add(rule);
        expect(ratio, rule).to.be.at.least(1);
        expect(measured === null, rule).to.equal(MEASURES[measure!].inTokens === true);
        if (measured !== null) expect(measured, rule).to.be.greaterThan(bound!);
      }
    }
    const arithmetic = ['no-input', 'output-beyond-response', 'reads-beyond-context'];
    expect([...cited].filter((rule) => rule !== 'extraordinary-yield').toSorted()).to.deep.equal(arithmetic);
  });

  it(`is the same from exported samples, also of thinned ones (seed ${SEED})`, () => {
    for (const each of states) {
      for (const state of [each, stateAt(each, each.hour + 40 * DAY_HOURS)]) {
        const usage = {
          hour: state.hour,
          samples: samplesOf(state),
          older: state.older,
          findings: [],
          waived: NO_WAIVERS,
        };
        const stored = evidenceOf({ totals: state.totals, assertions: NO_ASSERTIONS }, methodology);
        expect(explainUsage(usage, methodology)).to.deep.equal(stored);
      }
    }
  });

  it('names findings without numbers, leaves waived rules out, and has none without a rule set', () => {
    const named = (of: (typeof states)[number]) =>
      evidenceOf({ totals: of.totals, assertions: NO_ASSERTIONS }, methodology).filter(
        ({ rule }) => rule === 'no-input',
      );
    const { totals } = states.find((of) => named(of).length > 0)!;
    const waived = new Float64Array(WAIVERS);
    waived[waiverOf('no-input')] = Number.MAX_VALUE;
    const evidence = evidenceOf({ totals, assertions: { findings: bitOf(ruleNamed('review')), waived } }, methodology);
    expect(evidence.some(({ rule }) => rule === 'no-input')).to.equal(false);
    const found = evidence.find(({ rule }) => rule === 'review');
    expect(found).to.include({ severity: 'exclude', measure: null, measured: null, bound: null, ratio: null });
    expect(evidenceOf({ totals, assertions: NO_ASSERTIONS }, METHODOLOGIES.get(1)!)).to.deep.equal([]);
  });
});

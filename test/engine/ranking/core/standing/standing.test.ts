import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  emptyStanding,
  foldStanding,
  type Standing,
  standingAt,
  type UsageFact,
} from '../../../../../engine/ranking/core/standing/index.ts';
import { naiveUsage } from '../../../../support/naive-usage.ts';
import { runSeed } from '../../../../support/seeded-random.ts';
import { anyFacts, foldHours, HOUR_MS, HOURS_A_DAY, NOON, snapshotOf, wholeFacts } from './arbitraries.ts';

const RUNS = { numRuns: 300, seed: runSeed() };
/** Hours beyond which every window has passed every mark. */
const ALL_PASSED = 240 * HOURS_A_DAY;

/** Window totals and platforms as the model has them at an hour. */
function modelAt(facts: readonly UsageFact[], hour: number) {
  const usage = naiveUsage(facts.map(snapshotOf), hour * HOUR_MS + 1);
  return { totals: usage.flatMap(({ totals }) => totals), platforms: usage.map(({ platform }) => platform) };
}

function shown({ totals, platforms }: Standing) {
  return { totals: [...totals], platforms: [...platforms] };
}

/** Folds groups of facts, the one after the other, each at its own hour. */
function foldGroups(groups: readonly (readonly [hour: number, facts: readonly UsageFact[]])[]): Standing {
  return groups.reduce((standing, [hour, facts]) => foldStanding(standing, facts, hour).standing, emptyStanding(NOON));
}

/** The same facts shuffled, some of them repeated, in groups folded at ascending hours. */
const anyDelivery = fc.tuple(anyFacts, foldHours).chain(([facts, hours]) => {
  const ascending = hours.toSorted((a, b) => a - b);
  const places = fc.array(fc.integer({ min: 0, max: ascending.length - 1 }), { minLength: 1, maxLength: 3 });
  return fc.tuple(...facts.map((fact) => fc.tuple(fc.constant(fact), places))).chain((placed) => {
    const groups = ascending.map((hour, index) => {
      const own = placed.filter(([, at]) => at.includes(index)).map(([fact]) => fact);
      return fc.shuffledSubarray(own, { minLength: own.length }).map((group) => [hour, group] as const);
    });
    return fc.tuple(fc.constant(facts), fc.tuple(...groups));
  });
});

describe("an operator's standing", () => {
  it(`has the model's totals at any hour, however its facts came (seed ${RUNS.seed})`, () => {
    const later = fc.array(fc.integer({ min: 0, max: ALL_PASSED }), { maxLength: 5 });
    fc.assert(
      fc.property(anyDelivery, later, ([facts, groups], waits) => {
        let standing = foldGroups(groups);
        const last = groups.at(-1)![0];
        expect(shown(standing)).to.deep.equal(modelAt(facts, last));
        for (const wait of waits.toSorted((a, b) => a - b)) {
          standing = foldStanding(standing, [], last + wait).standing;
          expect(shown(standing), `${wait} hours later`).to.deep.equal(modelAt(facts, last + wait));
        }
      }),
      RUNS,
    );
  });

  it(`is the same for any order, grouping and repetition at one hour (seed ${RUNS.seed})`, () => {
    const twice = anyFacts.chain((facts) =>
      fc.tuple(
        fc.constant(facts),
        fc.shuffledSubarray([...facts, ...facts], { minLength: facts.length * 2 }),
        fc.integer({ min: 0, max: facts.length * 2 }),
      ),
    );
    fc.assert(
      fc.property(twice, ([facts, shuffled, cut]) => {
        const once = foldGroups([[NOON, facts]]);
        const other = foldGroups([
          [NOON, shuffled.slice(0, cut)],
          [NOON, shuffled.slice(cut)],
        ]);
        expect(other).to.deep.equal(once);
        expect(foldStanding(once, shuffled, NOON).standing, 'repeated').to.equal(once);
      }),
      RUNS,
    );
  });

  it(`moves at the hour it says it is due, and at none before (seed ${RUNS.seed})`, () => {
    fc.assert(
      fc.property(wholeFacts, (facts) => {
        let standing = foldGroups([[NOON, facts]]);
        while (standing.nextDue !== null) {
          const due = standing.nextDue;
          expect(due).to.be.greaterThan(standing.hour);
          for (const hour of [standing.hour, Math.floor((standing.hour + due) / 2), due - 1]) {
            expect(foldStanding(standing, [], hour).standing, `at ${hour}, due at ${due}`).to.equal(standing);
            expect(modelAt(facts, hour).totals, `model at ${hour}`).to.deep.equal([...standing.totals]);
          }
          const moved = foldStanding(standing, [], due).standing;
          expect([...moved.totals], `totals at ${due}`).to.not.deep.equal([...standing.totals]);
          expect(shown(moved), `at ${due}`).to.deep.equal(modelAt(facts, due));
          standing = moved;
        }
        expect(modelAt(facts, NOON + ALL_PASSED).totals, 'after the last').to.deep.equal([...standing.totals]);
      }),
      RUNS,
    );
  });

  it(`compares equal whatever the order in which marks older than every window came (seed ${RUNS.seed})`, () => {
    const shuffled = anyFacts.chain((facts) =>
      fc.tuple(fc.constant(facts), fc.shuffledSubarray(facts, { minLength: facts.length })),
    );
    const far = NOON + 130 * HOURS_A_DAY;
    fc.assert(
      fc.property(shuffled, ([facts, other]) => {
        const one = foldGroups([[far, facts]]);
        const apart = foldGroups(other.map((fact) => [far, [fact]] as const));
        expect(standingAt(one, far)).to.deep.equal(standingAt(apart, far));
        expect(shown(standingAt(one, far))).to.deep.equal(shown(one));
      }),
      RUNS,
    );
  });

  it(`says which facts changed it (seed ${RUNS.seed})`, () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        let standing = emptyStanding(NOON);
        for (const fact of facts) {
          const folded = foldStanding(standing, [fact], NOON);
          expect(folded.outcomes[0]).to.equal(folded.standing === standing ? 'unchanged' : 'changed');
          standing = folded.standing;
          expect(foldStanding(standing, [fact], NOON).outcomes).to.deep.equal(['unchanged']);
        }
      }),
      RUNS,
    );
  });
});

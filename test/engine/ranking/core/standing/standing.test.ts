import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  emptyStanding,
  foldStanding,
  MAX_STREAMS,
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

  it('never goes back to an hour before its own', () => {
    const fact = { ledger: 'ledger-one', platform: 'codex-cli', epoch: 0, hour: NOON - 168 };
    const counts = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
    const later = foldStanding(emptyStanding(NOON), [{ ...fact, counts }], NOON + 1).standing;
    const more = { ...fact, counts: { ...counts, output: 9 } };
    const { standing } = foldStanding(later, [more], NOON);
    expect(standing.hour).to.equal(NOON + 1);
    expect(shown(standing)).to.deep.equal(modelAt([{ ...fact, counts }, more], NOON + 1));
  });

  it('keeps 64 streams, and refuses what would begin another', () => {
    const counts = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
    const factOf = (ledger: number, output: number): UsageFact => ({
      ledger: `ledger-${ledger}`,
      platform: 'codex-cli',
      epoch: 0,
      hour: NOON,
      counts: { ...counts, output },
    });
    const many = Array.from({ length: MAX_STREAMS }, (_, ledger) => factOf(ledger, 2));
    const full = foldStanding(emptyStanding(NOON), many, NOON);
    expect(new Set(full.outcomes)).to.deep.equal(new Set(['changed']));
    expect(full.standing.streams).to.have.length(64);
    const next = foldStanding(full.standing, [factOf(MAX_STREAMS, 2), factOf(0, 7)], NOON);
    expect(next.outcomes).to.deep.equal(['stream_limit', 'changed']);
    expect(next.standing.streams).to.have.length(64);
    expect(shown(next.standing)).to.deep.equal(modelAt([...many, factOf(0, 7)], NOON));
  });

  it('keeps no more samples of a year than its windows need', () => {
    let standing = emptyStanding(NOON);
    for (let day = 0; day < 365; day++) {
      const counts = { input: day + 1, output: day + 1, cache_read: day + 1, cache_write: day + 1 };
      const hour = NOON + day * HOURS_A_DAY;
      standing = foldStanding(
        standing,
        [{ ledger: 'ledger-one', platform: 'codex-cli', epoch: 0, hour, counts }],
        hour,
      ).standing;
    }
    // The running day and eight hourly ones, one a day for a hundred, and one for all before.
    expect(standing.streams[0]!.series.hours.length).to.be.at.most(8 + 1 + 100 + 1);
    expect(standing.totals[0]).to.equal(365);
  });

  it('keeps one sample a day of what is older than eight days', () => {
    let standing = emptyStanding(NOON);
    for (let passed = 0; passed < 30 * HOURS_A_DAY; passed++) {
      const counts = { input: passed + 1, output: 1, cache_read: 1, cache_write: 1 };
      const fact = { ledger: 'ledger-one', platform: 'codex-cli', epoch: 0, hour: NOON + passed, counts };
      standing = foldStanding(standing, [fact], fact.hour).standing;
    }
    expect(standing.streams[0]!.series.hours.length).to.be.at.most(9 * HOURS_A_DAY + 30);
    expect(standing.totals[0]).to.equal(30 * HOURS_A_DAY);
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

import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  applySamples,
  emptyState,
  MAX_STREAMS,
  type OperatorState,
  stateAt,
  type UsageFact,
} from '../../../../../engine/ranking/core/operator-state/index.ts';
import { naiveUsage } from '../../../../support/naive-usage.ts';
import { runSeed } from '../../../../support/seeded-random.ts';
import { anyFacts, applyHours, HOUR_MS, HOURS_A_DAY, NOON, snapshotOf, wholeFacts } from './arbitraries.ts';

const RUNS = { numRuns: 300, seed: runSeed() };
/** Hours beyond which every window has passed every mark. */
const ALL_PASSED = 240 * HOURS_A_DAY;

/** Window totals and platforms as the model has them at an hour. */
function modelAt(facts: readonly UsageFact[], hour: number) {
  const usage = naiveUsage(facts.map(snapshotOf), hour * HOUR_MS + 1);
  return { totals: usage.flatMap(({ totals }) => totals), platforms: usage.map(({ platform }) => platform) };
}

function shown({ totals, platforms }: OperatorState) {
  return { totals: [...totals], platforms: [...platforms] };
}

/** Folds groups of facts, the one after the other, each at its own hour. */
function applyBatches(batches: readonly (readonly [hour: number, facts: readonly UsageFact[]])[]): OperatorState {
  return batches.reduce(
    (operatorState, [hour, facts]) => applySamples(operatorState, facts, hour).operatorState,
    emptyState(NOON),
  );
}

/** The same facts shuffled, some of them repeated, in groups folded at ascending hours. */
const anyDelivery = fc.tuple(anyFacts, applyHours).chain(([facts, hours]) => {
  const ascending = hours.toSorted((a, b) => a - b);
  const places = fc.array(fc.integer({ min: 0, max: ascending.length - 1 }), { minLength: 1, maxLength: 3 });
  return fc.tuple(...facts.map((fact) => fc.tuple(fc.constant(fact), places))).chain((placed) => {
    const batches = ascending.map((hour, index) => {
      const own = placed.filter(([, at]) => at.includes(index)).map(([fact]) => fact);
      return fc.shuffledSubarray(own, { minLength: own.length }).map((batch) => [hour, batch] as const);
    });
    return fc.tuple(fc.constant(facts), fc.tuple(...batches));
  });
});

describe("an operator's standing", () => {
  it(`has the model's totals at any hour, however its facts came (seed ${RUNS.seed})`, () => {
    const later = fc.array(fc.integer({ min: 0, max: ALL_PASSED }), { maxLength: 5 });
    fc.assert(
      fc.property(anyDelivery, later, ([facts, batches], waits) => {
        let operatorState = applyBatches(batches);
        const last = batches.at(-1)![0];
        expect(shown(operatorState)).to.deep.equal(modelAt(facts, last));
        for (const wait of waits.toSorted((a, b) => a - b)) {
          operatorState = applySamples(operatorState, [], last + wait).operatorState;
          expect(shown(operatorState), `${wait} hours later`).to.deep.equal(modelAt(facts, last + wait));
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
        const once = applyBatches([[NOON, facts]]);
        const other = applyBatches([
          [NOON, shuffled.slice(0, cut)],
          [NOON, shuffled.slice(cut)],
        ]);
        expect(other).to.deep.equal(once);
        expect(applySamples(once, shuffled, NOON).operatorState, 'repeated').to.equal(once);
      }),
      RUNS,
    );
  });

  it(`moves at the hour it says it is due, and at none before (seed ${RUNS.seed})`, () => {
    fc.assert(
      fc.property(wholeFacts, (facts) => {
        let operatorState = applyBatches([[NOON, facts]]);
        while (operatorState.nextDue !== null) {
          const due = operatorState.nextDue;
          expect(due).to.be.greaterThan(operatorState.hour);
          for (const hour of [operatorState.hour, Math.floor((operatorState.hour + due) / 2), due - 1]) {
            expect(applySamples(operatorState, [], hour).operatorState, `at ${hour}, due at ${due}`).to.equal(
              operatorState,
            );
            expect(modelAt(facts, hour).totals, `model at ${hour}`).to.deep.equal([...operatorState.totals]);
          }
          const moved = applySamples(operatorState, [], due).operatorState;
          expect([...moved.totals], `totals at ${due}`).to.not.deep.equal([...operatorState.totals]);
          expect(shown(moved), `at ${due}`).to.deep.equal(modelAt(facts, due));
          operatorState = moved;
        }
        expect(modelAt(facts, NOON + ALL_PASSED).totals, 'after the last').to.deep.equal([...operatorState.totals]);
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
        const one = applyBatches([[far, facts]]);
        const apart = applyBatches(other.map((fact) => [far, [fact]] as const));
        expect(stateAt(one, far)).to.deep.equal(stateAt(apart, far));
        expect(shown(stateAt(one, far))).to.deep.equal(shown(one));
      }),
      RUNS,
    );
  });

  it('never goes back to an hour before its own', () => {
    const fact = { ledger: 'ledger-one', platform: 'codex-cli', epoch: 0, hour: NOON - 168 };
    const counts = { input: 1, output: 2, cache_read: 3, cache_write: 4 };
    const later = applySamples(emptyState(NOON), [{ ...fact, counts }], NOON + 1).operatorState;
    const more = { ...fact, counts: { ...counts, output: 9 } };
    const { operatorState } = applySamples(later, [more], NOON);
    expect(operatorState.hour).to.equal(NOON + 1);
    expect(shown(operatorState)).to.deep.equal(modelAt([{ ...fact, counts }, more], NOON + 1));
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
    const full = applySamples(emptyState(NOON), many, NOON);
    expect(new Set(full.outcomes)).to.deep.equal(new Set(['changed']));
    expect(full.operatorState.streams).to.have.length(64);
    const next = applySamples(full.operatorState, [factOf(MAX_STREAMS, 2), factOf(0, 7)], NOON);
    expect(next.outcomes).to.deep.equal(['stream_limit', 'changed']);
    expect(next.operatorState.streams).to.have.length(64);
    expect(shown(next.operatorState)).to.deep.equal(modelAt([...many, factOf(0, 7)], NOON));
  });

  it('keeps no more samples of a year than its windows need', () => {
    let operatorState = emptyState(NOON);
    for (let day = 0; day < 365; day++) {
      const counts = { input: day + 1, output: day + 1, cache_read: day + 1, cache_write: day + 1 };
      const hour = NOON + day * HOURS_A_DAY;
      operatorState = applySamples(
        operatorState,
        [{ ledger: 'ledger-one', platform: 'codex-cli', epoch: 0, hour, counts }],
        hour,
      ).operatorState;
    }
    // The running day and eight hourly ones, one a day for a hundred, and one for all before.
    expect(operatorState.streams[0]!.series.hours.length).to.be.at.most(8 + 1 + 100 + 1);
    expect(operatorState.totals[0]).to.equal(365);
  });

  it('keeps one sample a day of what is older than eight days', () => {
    let operatorState = emptyState(NOON);
    for (let passed = 0; passed < 30 * HOURS_A_DAY; passed++) {
      const counts = { input: passed + 1, output: 1, cache_read: 1, cache_write: 1 };
      const fact = { ledger: 'ledger-one', platform: 'codex-cli', epoch: 0, hour: NOON + passed, counts };
      operatorState = applySamples(operatorState, [fact], fact.hour).operatorState;
    }
    expect(operatorState.streams[0]!.series.hours.length).to.be.at.most(9 * HOURS_A_DAY + 30);
    expect(operatorState.totals[0]).to.equal(30 * HOURS_A_DAY);
  });

  it(`says which facts changed it (seed ${RUNS.seed})`, () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        let operatorState = emptyState(NOON);
        for (const fact of facts) {
          const applied = applySamples(operatorState, [fact], NOON);
          expect(applied.outcomes[0]).to.equal(applied.operatorState === operatorState ? 'unchanged' : 'changed');
          operatorState = applied.operatorState;
          expect(applySamples(operatorState, [fact], NOON).outcomes).to.deep.equal(['unchanged']);
        }
      }),
      RUNS,
    );
  });
});

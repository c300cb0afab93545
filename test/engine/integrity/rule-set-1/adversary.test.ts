import { expect } from 'chai';
import { NO_ASSERTIONS } from '../../../../engine/integrity/index.ts';
import { scoreRecord } from '../../../../engine/ranking/core/score-record.ts';
import { METHODOLOGIES } from '../../../../engine/ranking/methodologies/index.ts';
import { searchAdversary } from '../../../support/histories/adversary.ts';
import { honestHistories } from '../../../support/histories/honest.ts';
import { replay } from '../../../support/histories/replay.ts';
import { runsOf } from '../../../support/long-run.ts';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';

const methodology = METHODOLOGIES.get(3)!;
const SEED = runSeed();
const STEPS = runsOf(400, 10_000);
/** Honest histories whose Yields are computed again. */
const HONEST = runsOf(0, 20_000);
/** The 99.9th percentile of the Yields over all time of 20,000 honest histories; the short form takes it as given. */
const PERCENTILE = 6.66e7;
const MOST_TIMES_HONEST = 3;

/** The 99.9th percentile of Yields over all time. */
function percentileOf(count: number): number {
  const yields = honestHistories(SEED, count).flatMap((history) => {
    const [last] = [...replay(history, 1)].slice(-1);
    const [all] = scoreRecord({ totals: last!.totals, assertions: NO_ASSERTIONS }, methodology);
    return all!.score?.yield_ ?? [];
  });
  yields.sort((left, right) => left - right);
  return yields[Math.floor(yields.length * 0.999)]!;
}

describe('an adversary who knows the rules', function () {
  this.timeout(1_800_000);

  it(`stays within ${MOST_TIMES_HONEST} times the 99.9th percentile of honest Yields, unflagged for 30 days (seed ${SEED})`, () => {
    const { plan, yield_ } = searchAdversary(seededRandom(SEED), methodology, STEPS);
    const percentile = HONEST === 0 ? PERCENTILE : percentileOf(HONEST);
    const times = yield_ / percentile;
    process.stdout.write(`\n  ${yield_.toExponential(2)}, ${times.toFixed(2)} times: ${JSON.stringify(plan)}\n\n`);
    expect(times).to.be.at.most(MOST_TIMES_HONEST);
    // The search finds how: it begins at 20,000.
    expect(yield_).to.be.greaterThan(100_000);
  });
});

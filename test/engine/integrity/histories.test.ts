import { expect } from 'chai';
import { DAY_MS } from '../../../config/units.ts';
import { WINDOWS } from '../../../engine/contract/windows.ts';
import { NO_ASSERTIONS, RULE_SETS, rulesIn } from '../../../engine/integrity/index.ts';
import { hourOf } from '../../../engine/ranking/core/operator-state/index.ts';
import { scoreRecord } from '../../../engine/ranking/core/score-record.ts';
import { METHODOLOGIES } from '../../../engine/ranking/methodologies/index.ts';
import { forgedHistories } from '../../support/histories/forged.ts';
import { type History, isRefused } from '../../support/histories/history.ts';
import { honestHistories } from '../../support/histories/honest.ts';
import { replay } from '../../support/histories/replay.ts';
import { runsOf } from '../../support/long-run.ts';
import { runSeed } from '../../support/seeded-random.ts';

const methodology = METHODOLOGIES.get(4)!;
const { all, platforms } = RULE_SETS.get(methodology.rules!)!.reference!;
const SEED = runSeed();
/** Moments at which an honest history is looked at. */
const MOMENTS = 8;

/** The days of receipt of a history until each of its states, and the rows of each. */
function* rowsOf(history: History, moments?: number) {
  for (const { totals, hour, platforms: named } of replay(history, moments)) {
    const received = history.submissions
      .filter(({ at }) => hourOf(at) <= hour)
      .map(({ at }) => Math.floor(at / DAY_MS));
    const days = new Set(received).size;
    for (const [window, result] of scoreRecord({ totals, assertions: NO_ASSERTIONS }, methodology).entries())
      yield { ...result, days, platform: named[window] ?? '' };
  }
}

describe('the judgement of histories', () => {
  it(`excludes no honest one, and settles most of them (seed ${SEED})`, () => {
    const histories = honestHistories(SEED, runsOf(600, 20_000));
    const [last, crossed]: [string[], string[]] = [[], []];
    for (const history of histories) {
      const rows = [...rowsOf(history, MOMENTS)];
      for (const { mask } of rows) crossed.push(...rulesIn(mask).map(({ name }) => name));
      last.push(String(rows.at(-WINDOWS.length)?.row));
    }
    expect(crossed.filter((rule) => rule !== 'extraordinary-yield')).to.deep.equal([]);
    const shares = ['settled', 'held', 'null'].map((row) => last.filter((of) => of === row).length / last.length);
    process.stdout.write(`\n  settled, held, below the floors: ${shares.join(', ')}\n\n`);
    expect(shares[0]).to.be.at.least(0.85);
  });

  it(`numbers no lie above a percentile before the days of receipt that it needs have passed (seed ${SEED})`, () => {
    const rows = new Set<string>();
    for (const history of forgedHistories(SEED).filter((each) => !isRefused(each))) {
      for (const { row, score, days, platform } of rowsOf(history)) {
        rows.add(String(row));
        if (row !== 'settled') continue;
        const { p75, p90, p99 } = platforms[platform] ?? all;
        const steps = [
          [p75, 3],
          [p90, 7],
          [all.p90, 7],
          [p99, 14],
          [all.p99, 14],
          [3 * p99, Infinity],
        ] as const;
        for (const [limit, least] of steps)
          if (score!.yield_ > limit) expect(days, `${history.kind} above ${limit}`).to.be.at.least(least);
      }
    }
    expect(rows).to.deep.equal(new Set(['settled', 'held', 'excluded', 'null']));
  });
});

import { expect } from 'chai';
import { HOUR_MS } from '../../../../../config/units.ts';
import type { OperatorDocument } from '../../../../../engine/ranking/storage/operator-codec.ts';
import { openRankingWorld } from '../../../../support/ranking-world.ts';
import { useFixture } from '../../../../support/use-fixture.ts';

/** More than one round compares. */
const OPERATORS = 1_203;

const usage = (now: number, index: number) =>
  [1, 30, 400, 2_500].map((hours) => ({
    asOf: now - hours * HOUR_MS,
    ledger: 'ledger-1',
    platform: index % 2 === 0 ? 'claude-code' : 'codex',
    epoch: 0,
    counts: { input: 10 + index, output: 5_000 - hours, cache_read: 9_000 - hours, cache_write: 7 },
  }));

describe('operators imported without a log', () => {
  const world = useFixture(openRankingWorld);
  let first: number;

  before(async () => {
    const operators = Array.from({ length: OPERATORS }, (_, index) => ({
      codename: `imported-${index}`,
      displayName: null,
      // Every tenth has no usage.
      usage: index % 10 === 0 ? [] : usage(world().now, index),
    }));
    first = await world().ranking.operators.import(operators);
    await world().ranking.rebuildBoard();
  });

  const records = () => world().connection.collection<OperatorDocument>('operators');
  const totalsOf = async (operator: number) => (await records().findOne({ _id: operator }))?.totals;

  it('equal what their rollups give', async () => {
    const steps: number[] = [];
    const findings = await world().ranking.repair.verify(({ step, done }) => step === 'samples' && steps.push(done));
    expect(findings).to.deep.equal([]);
    expect(steps.at(-1)).to.equal(OPERATORS);
  });

  it('are unchanged by recomputation, also after a snapshot and a hundred days', async () => {
    const numbers = [1, 2, 3, 450].map((index) => first + index);
    const before = await Promise.all(numbers.map(totalsOf));
    const done: number[] = [];
    const there = await world().ranking.repair.recomputeAll([...numbers, 9_999_999], (some) => done.push(some));
    expect([...there]).to.deep.equal(numbers);
    expect(done).to.deep.equal([5]);
    expect(await Promise.all(numbers.map(totalsOf))).to.deep.equal(before);
    world().now += 101 * 24 * HOUR_MS;
    await world().ranking.repair.retainLog();
    await world().ranking.advanceHour();
    expect(await world().ranking.repair.verify()).to.deep.equal([]);
  });

  it('are repaired from their rollups, many at once', async () => {
    const damaged = Array.from({ length: 300 }, (_, index) => first + 1 + index);
    const before = await totalsOf(first + 1);
    const { totals } = (await records().findOne({ _id: first + 601 }))!;
    await records().updateMany({ _id: { $in: damaged } }, { $set: { totals } });
    const findings = await world().ranking.repair.verify();
    const used = damaged.filter((operator) => (operator - first) % 10 !== 0).length;
    expect(findings.filter(({ part }) => part === 'sample').length).to.be.within(used, damaged.length);
    const done: number[] = [];
    const repaired = await world().ranking.repair.repair(findings, (some) => done.push(some));
    expect(repaired.samples).to.equal(done.at(-1));
    expect(await totalsOf(first + 1)).to.deep.equal(before);
    expect(await world().ranking.repair.verify()).to.deep.equal([]);
  });
});

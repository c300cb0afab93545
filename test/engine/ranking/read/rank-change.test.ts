import { expect } from 'chai';
import { HOUR_MS, MINUTE_MS } from '../../../../config/units.ts';
import { WINDOWS } from '../../../../engine/contract/index.ts';
import { openFaultFixture } from '../../../faults/fault-fixture.ts';
import { inlineJobs } from '../../../support/inline-jobs.ts';
import { type NaiveWindow, naiveRank } from '../../../support/naive-board.ts';
import { runSeed, seededRandom } from '../../../support/seeded-random.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';

interface Split {
  readonly own: number;
  readonly field: number;
}

/** By definition: first the operator's new Yield among the former Yields of the others, then their new Yields. */
function naiveSplit(then: NaiveWindow, now: NaiveWindow, operator: number): Split | null {
  const [before, after] = [then.byOperator.get(operator), now.byOperator.get(operator)];
  if (before === undefined || after === undefined) return null;
  const alone = naiveRank(then, after.yield_, operator);
  return { own: before.rank - alone, field: alone - after.rank };
}

/** The all-time rank on a board of the model. */
const allTimeRank = (board: NaiveWindow[], operator: number) => board[0]!.byOperator.get(operator)?.rank ?? null;

describe('why a rank changed', () => {
  const seed = runSeed();
  const fixture = useFreshFixture(() => openFaultFixture(seededRandom(seed)));
  const engine = useFreshFixture(() => fixture().world.another());

  beforeEach(async () => {
    for (let round = 0; round < 8; round++) await fixture().submit(fixture().survivor, 5);
    fixture().world.now += HOUR_MS;
    await fixture().recover();
  });

  async function submitSome(): Promise<void> {
    for (let round = 0; round < 3; round++) await fixture().submit(fixture().survivor, 5);
    await fixture().recover();
  }

  async function activate(methodology: number): Promise<void> {
    const jobs = inlineJobs();
    await engine().rerank.start({ kind: 'activate', methodology });
    await engine().rerank.supervise(jobs);
    await jobs.work(engine());
    await fixture().recover();
  }

  async function historyOf(operator: number, window: (typeof WINDOWS)[number], since?: number) {
    const { codename } = (await fixture().survivor.operators.byNumber(operator))!;
    return (await fixture().reader.history(codename, window, since))!;
  }

  it(`is split into the parts of the operator, the population and the methodology (seed ${seed})`, async () => {
    const kept = await fixture().model(1);
    fixture().world.now += 24 * HOUR_MS;
    await fixture().recover();
    await submitSome();
    const before = await fixture().model(1);
    await activate(2);
    const after = await fixture().model(2);
    await submitSome();
    const beforeReturn = await fixture().model(2);
    await engine().rerank.rollBack();
    await fixture().recover();
    const afterReturn = await fixture().model(1);
    await submitSome();
    // Garbage collection keeps the boards of both switches, and the kept board of the day before.
    fixture().world.now += 11 * MINUTE_MS;
    await fixture().survivor.collectGarbage();
    await fixture().recover();
    const now = await fixture().model(1);
    let splits = 0;
    for (const [window, name] of WINDOWS.entries()) {
      for (const operator of fixture().operators) {
        const { changes, switches } = await historyOf(operator, name);
        const rankOn = (board: NaiveWindow[]) => board[window]!.byOperator.get(operator)?.rank ?? null;
        expect(switches.map(({ before: one, after: other }) => [one.rank, other.rank])).to.deep.equal([
          [rankOn(before), rankOn(after)],
          [rankOn(beforeReturn), rankOn(afterReturn)],
        ]);
        const [rank_then, rank_now] = [rankOn(kept), rankOn(now)];
        expect(changes['24h']).to.include({ rank_then, rank_now });
        const pairs = [
          naiveSplit(kept[window]!, before[window]!, operator),
          naiveSplit(after[window]!, beforeReturn[window]!, operator),
          naiveSplit(afterReturn[window]!, now[window]!, operator),
        ];
        if (pairs.includes(null)) {
          expect(changes['24h']).to.include({ own: null, field: null, method: null });
          continue;
        }
        splits += 1;
        const own = pairs.reduce((sum, pair) => sum + pair!.own, 0);
        const others = pairs.reduce((sum, pair) => sum + pair!.field, 0);
        const method = rankOn(before)! - rankOn(after)! + rankOn(beforeReturn)! - rankOn(afterReturn)!;
        expect(changes['24h']).to.include({ change: rank_then! - rank_now!, own, field: others, method });
        expect(changes['24h']!.change).to.equal(own + others + method);
      }
    }
    expect(splits, 'changes that could be split').to.be.greaterThan(0);
  });

  it('has no methodology part without a switch, and no parts without an older board', async () => {
    const kept = await fixture().model(1);
    fixture().world.now += 24 * HOUR_MS;
    await fixture().recover();
    await submitSome();
    const now = await fixture().model(1);
    for (const operator of fixture().operators) {
      const { changes, switches } = await historyOf(operator, 'all_time');
      expect(switches).to.deep.equal([]);
      expect(changes['7d']).to.equal(null);
      const pair = naiveSplit(kept[0]!, now[0]!, operator);
      expect(changes['24h']).to.include(pair === null ? { own: null, method: null } : { ...pair, method: 0 });
    }
  });

  it('is split since any moment, to the present record before a board has it', async () => {
    const kept = await fixture().model(1);
    const submitted = fixture().world.now + HOUR_MS - 1;
    fixture().world.now += 2 * HOUR_MS;
    await fixture().recover();
    const published = await fixture().model(1);
    for (let round = 0; round < 3; round++) await fixture().submit(fixture().survivor, 5);
    let ahead = 0;
    for (const operator of fixture().operators) {
      const { changes, points } = await historyOf(operator, 'all_time', submitted);
      const { codename } = (await fixture().survivor.operators.byNumber(operator))!;
      const profile = (await fixture().reader.profile(codename))!;
      expect(points.at(-1)).to.include({ rank: published[0]!.byOperator.get(operator)?.rank ?? null });
      if (profile.yield_ !== points.at(-1)!.yield_) ahead += 1;
      const rank_then = kept[0]!.byOperator.get(operator)?.rank ?? null;
      expect(changes.since).to.include({ rank_then, rank_now: profile.rank });
      const { change, own, field, method } = changes.since!;
      if (change === null) continue;
      expect([change, method]).to.deep.equal([rank_then! - profile.rank!, 0]);
      expect(own).to.equal(rank_then! - naiveRank(kept[0]!, profile.yield_!, operator));
      expect(own! + field!).to.equal(change);
    }
    expect(ahead, 'records that the board does not have yet').to.be.greaterThan(0);
    expect((await historyOf(fixture().operators[0]!, 'all_time', 0)).changes.since).to.equal(null);
  });

  it('is since the board of the hour of a moment, which lacks what was submitted in that hour', async () => {
    const boards: { readonly from: number; readonly board: NaiveWindow[] }[] = [];
    for (let hour = 0; hour < 3; hour++) {
      const from = Math.floor(fixture().world.now / HOUR_MS) * HOUR_MS;
      boards.push({ from, board: await fixture().model(1) });
      await submitSome();
      fixture().world.now += HOUR_MS;
      await fixture().recover();
    }
    for (const { from, board } of boards) {
      for (const moment of [from, from + 1, from + HOUR_MS - 1]) {
        for (const operator of fixture().operators) {
          const { changes } = await historyOf(operator, 'all_time', moment);
          expect(changes.since).to.include({ since: from, rank_then: allTimeRank(board, operator) });
        }
      }
    }
    const moved = fixture().operators.filter(
      (each) => new Set(boards.map(({ board }) => allTimeRank(board, each))).size > 1,
    );
    expect(moved, 'operators whose rank differs between the boards').to.not.deep.equal([]);
  });

  it('reports a rollback as a change of the methodology', async () => {
    await activate(2);
    await engine().rerank.rollBack();
    await fixture().recover();
    const { switches, points } = await historyOf(fixture().operators[0]!, 'all_time');
    expect(switches.map((one) => [one.before.methodology, one.after.methodology])).to.deep.equal([
      [1, 2],
      [2, 1],
    ]);
    expect(switches[1]!.after).to.deep.include(switches[0]!.before);
    expect(points.at(-1)).to.include({ methodology: 1 });
  });
});

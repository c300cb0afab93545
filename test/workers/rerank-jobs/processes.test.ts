import { expect } from 'chai';
import { WINDOWS } from '../../../engine/contract/index.ts';
import type { ImportedOperator } from '../../../engine/ranking/index.ts';
import { METHODOLOGIES } from '../../../engine/ranking/methodologies/index.ts';
import { openBlockingRedis } from '../../../ops/runtime/stores/index.ts';
import { entriesOn } from '../../support/board-entries.ts';
import { startClockedWorkers } from '../../support/clocked-workers.ts';
import { eventually } from '../../support/eventually.ts';
import { importedOperator } from '../../support/imported-operator.ts';
import { runsOf } from '../../support/long-run.ts';
import { type NaiveWindow, naiveBoard } from '../../support/naive-board.ts';
import { naiveEligibility } from '../../support/naive-eligibility.ts';
import { openRankingWorld } from '../../support/ranking-world.ts';
import { rethrow } from '../../support/rethrow.ts';
import { runSeed, seededRandom } from '../../support/seeded-random.ts';
import { useFixture } from '../../support/use-fixture.ts';

const OPERATORS = 600;
const OPERATORS_PER_RANGE = 10;
const WORKERS = 2;
const KILLS = runsOf(2, 6);

describe('a re-rank by worker processes', () => {
  const random = seededRandom(runSeed());
  const world = useFixture(openRankingWorld);

  const first = useFixture<number>(() =>
    world().ranking.operators.import(Array.from({ length: OPERATORS }, (_, index) => simulate(index))),
  );
  const counts = new Map<number, [number, number, number, number]>();

  before(async () => {
    await world().ranking.rebuildBoard();
  });
  const workers = useFixture(() => startClockedWorkers(WORKERS, world().database, world().now, OPERATORS_PER_RANGE));

  function simulate(index: number): ImportedOperator {
    const few = random.integer(0, 1) === 0;
    const used: [number, number, number, number] = [
      random.integer(1, few ? 50 : 5_000),
      random.integer(0, 5_000),
      random.integer(0, few ? 5_000 : 500_000_000),
      random.integer(0, 100),
    ];
    counts.set(index, used);
    const [input, output, cache_read, cache_write] = used;
    const spent = { input, output, cache_read, cache_write };
    return importedOperator(`ranked-${index}`, world().now, spent, 'claude-code');
  }

  function model(methodology: number): NaiveWindow[] {
    const yields = [...counts].map(([index, used]): [number, (number | null)[]] => {
      const [input, output, cacheRead] = used;
      const yield_ = naiveEligibility(methodology, used) ? (cacheRead * output) / (input * input) : null;
      return [first() + index, WINDOWS.map(() => yield_)];
    });
    return naiveBoard(new Map(yields), WINDOWS.length, METHODOLOGIES.get(methodology)!.tiers);
  }

  async function expectBoards(methodology: number): Promise<void> {
    const reader = await world().ranking.openBoardReader(rethrow);
    expect(reader.view().methodology).to.equal(methodology);
    for (const [window, name] of WINDOWS.entries()) {
      const expected = model(methodology)[window]!.entries;
      const seen = await entriesOn(reader, name, 0, OPERATORS);
      expect(
        seen.map(({ codename, rank, yield_, class_tier }) => ({ codename, rank, yield_, class_tier })),
      ).to.deep.equal(
        expected.map(({ operator, rank, yield_, class_tier }) => ({
          codename: `ranked-${operator - first()}`,
          rank,
          yield_,
          class_tier,
        })),
        name,
      );
    }
    await reader.close();
  }

  async function ended(run: string): Promise<void> {
    await eventually('the end of the run', async () => {
      const status = await world().ranking.rerank.status();
      return status.ended.some((one) => one.run === run && one.state !== 'running');
    });
  }

  async function scored(): Promise<number> {
    return (await world().ranking.rerank.status()).underWay?.scored ?? 0;
  }

  async function start(methodology: number, kind: 'activate' | 'preview' = 'activate'): Promise<string> {
    const started = await world().ranking.rerank.start({ kind, methodology });
    if (started.kind !== 'started') throw new Error(started.kind);
    return started.run;
  }

  it(`completes although workers are killed (seed ${random.seed})`, async () => {
    const run = await start(2);
    for (let kill = 0; kill < KILLS; kill++) {
      const known = await scored();
      const more = known + random.integer(1, 6);
      await eventually('more ranges', async () => (await scored()) >= more || (await isOver(run)));
      await workers().replace(random.integer(0, WORKERS - 1));
    }
    await ended(run);
    await expectBoards(2);
  });

  async function isOver(run: string): Promise<boolean> {
    return (await world().ranking.rerank.status()).ended.some((one) => one.run === run);
  }

  it('completes although Redis is emptied meanwhile', async () => {
    const run = await start(1);
    await eventually('the first ranges', async () => (await scored()) > 2 || (await isOver(run)));
    const redis = openBlockingRedis(world().database.redisUrl, () => undefined);
    const keys = await redis.keys(`*${world().database.prefix}*`);
    expect(keys.length).to.be.greaterThan(0);
    await redis.del(...keys);
    redis.disconnect();
    await ended(run);
    await expectBoards(1);
  });

  it('previews without switching', async () => {
    const run = await start(2, 'preview');
    await ended(run);
    await expectBoards(1);
    const status = await world().ranking.rerank.status();
    const report = status.ended.find((one) => one.run === run)!.report!.all_time;
    const [before, after] = [model(1)[0]!, model(2)[0]!];
    expect(report).to.include({ rankedBefore: before.total, rankedAfter: after.total, newlyRanked: 0 });
    expect(report.newlyUnranked).to.equal(before.total - after.total);
    const moved = after.entries.filter(({ operator, rank }) => before.byOperator.get(operator)!.rank !== rank).length;
    expect(report.moved).to.equal(moved);
    expect(report.movedBy.reduce((sum, count) => sum + count, 0)).to.equal(after.total);
    const best = report.climbers[0]!;
    expect(best.codename).to.equal(`ranked-${best.operator - first()}`);
    expect(report.unranked[0]!.before).to.equal(
      Math.min(...before.entries.filter(({ operator }) => !after.byOperator.has(operator)).map(({ rank }) => rank)),
    );
  });
});

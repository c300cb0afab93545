import { expect } from 'chai';
import { MINUTE_MS } from '../../../../config/units.ts';
import { WINDOWS } from '../../../../engine/contract/index.ts';
import type { FailpointName, Ranking } from '../../../../engine/ranking/index.ts';
import { openStores } from '../../../../engine/ranking/storage/stores.ts';
import { makeVictim } from '../../../faults/victim.ts';
import { importedOperator } from '../../../support/imported-operator.ts';
import { inlineJobs } from '../../../support/inline-jobs.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';

const OPERATORS = 9;
const RANGES = { rangeOperators: 4 };

describe('supervision of a re-rank', () => {
  const world = useFreshFixture(openRankingWorld);
  const engine = useFreshFixture(() => world().another(RANGES));
  const jobs = useFreshFixture(inlineJobs);

  beforeEach(async () => {
    const counts = { input: 100, output: 100_000, cache_read: 100_000, cache_write: 20_000 };
    const operators = Array.from({ length: OPERATORS }, (_, index) => `imported-${index}`);
    await engine().operators.import(operators.map((codename) => importedOperator(codename, world().now, counts)));
    await engine().rebuildBoard();
  });

  const rowOf = (codename: string, input: number, cache_read: number) =>
    importedOperator(codename, world().now, { input, output: 1_000_000, cache_read, cache_write: 0 }, 'amp');

  async function begin(kind: 'activate' | 'preview' = 'activate', methodology = 2): Promise<string> {
    const started = await engine().rerank.start({ kind, methodology });
    if (started.kind !== 'started') throw new Error(`start returned ${started.kind}`);
    await engine().rerank.supervise(jobs());
    return started.run;
  }

  /** Starts work on an engine that stops at a failpoint. */
  async function stopAt(at: FailpointName, work: (stopped: Ranking) => Promise<unknown>): Promise<void> {
    const victim = makeVictim(world(), { at }, RANGES);
    await victim.reachedBy(work(victim.engine));
  }

  const last = async () => (await engine().rerank.status()).ended[0];

  it('replaces lost jobs by jobs for only the ranges that are not scored', async () => {
    const run = await begin();
    expect(jobs().flows).to.deep.equal([{ run, flow: 1, ranges: [0, 1, 2] }]);
    await engine().rerank.supervise(jobs());
    expect(jobs().flows, 'while they are alive').to.have.length(1);
    expect(await engine().rerank.scoreRange(run, 1)).to.equal('scored');
    expect(await engine().rerank.scoreRange(run, 1)).to.equal('present');
    jobs().lose();
    await engine().rerank.supervise(jobs());
    expect(jobs().flows).to.deep.equal([{ run, flow: 2, ranges: [0, 2] }]);
    expect(await engine().rerank.finish(run)).to.equal('incomplete');
    await jobs().work(engine());
    expect(await last()).to.include({ run, state: 'switched' });
  });

  it('deletes the parts of ended runs', async () => {
    const { rerankParts } = openStores(world().connection);
    await begin();
    await jobs().work(engine());
    expect(await last()).to.include({ state: 'switched' });
    await rerankParts.write('forgotten-run', 0, { yields: new Float64Array(1), rows: [] });
    await engine().rerank.supervise(jobs());
    expect(await rerankParts.runs()).to.deep.equal([]);
  });

  it('fails a run whose jobs were lost fifty times', async () => {
    const run = await begin();
    await world()
      .connection.collection('rerank_runs')
      .updateOne({}, { $set: { flow: 49 } });
    jobs().lose();
    await engine().rerank.supervise(jobs());
    expect(jobs().flows.map(({ flow }) => flow)).to.deep.equal([50]);
    jobs().lose();
    await engine().rerank.supervise(jobs());
    expect(jobs().flows).to.deep.equal([]);
    expect(await last()).to.include({ run, state: 'failed', error: 'its jobs were lost or failed 50 times' });
    expect((await engine().rerank.status()).underWay).to.equal(null);
  });

  it('keeps a run that is about to start, and cancels it after a minute', async () => {
    await stopAt('rerank.described', (stopped) => stopped.rerank.start({ kind: 'activate', methodology: 2 }));
    world().now += MINUTE_MS - 1;
    await engine().rerank.supervise(jobs());
    expect(await last()).to.include({ state: 'running' });
    world().now += 1;
    await engine().rerank.supervise(jobs());
    expect(await last()).to.include({ state: 'cancelled' });
  });

  it('records the outcome of a run whose process died before it did', async () => {
    for (const [kind, at, state] of [
      ['preview', 'rerank.taken_off', 'previewed'],
      ['activate', 'rerank.manifest_written', 'switched'],
    ] as const) {
      const run = await begin(kind);
      for (const range of jobs().flows.splice(0)[0]!.ranges) await engine().rerank.scoreRange(run, range);
      await stopAt(at, (stopped) => stopped.rerank.finish(run));
      world().now += 2 * MINUTE_MS;
      await engine().rerank.supervise(jobs());
      const ended = await last();
      expect(ended).to.include({ run, state, scored: 3 });
      expect(ended?.report?.all_time.rankedAfter).to.equal(kind === 'preview' ? OPERATORS : undefined);
    }
  });

  it('previews how many rows would be settled, held and excluded', async () => {
    await engine().operators.import([
      rowOf('extraordinary', 2_000, 2e9),
      rowOf('impossible', 2_000, 2e10),
      rowOf('usual', 1_000_000, 2e7),
    ]);
    await engine().rebuildBoard();
    await begin('preview', 4);
    await jobs().work(engine());
    const { all_time: report } = (await last())!.report!;
    expect(report).to.include({ rankedBefore: OPERATORS + 3, rankedAfter: 1 });
    expect(report.rows).to.deep.equal({ settled: 1, held: 1, excluded: 1 });
  });

  it('has the last operator in the last range', async () => {
    const run = await begin();
    await engine().rerank.scoreRange(run, 2);
    const part = await openStores(world().connection).rerankParts.read(run, 2);
    // Of the operators 8 and 9.
    expect(Array.from(part?.yields ?? [])).to.deep.equal(Array.from({ length: 2 * WINDOWS.length }, () => 1_000_000));
  });

  it('does not affect the next run when a cancelled one finishes late', async () => {
    const run = await begin('preview');
    for (const range of jobs().flows.splice(0)[0]!.ranges) await engine().rerank.scoreRange(run, range);
    const slow = makeVictim(world(), { at: 'rerank.table_read' }, RANGES);
    const work = slow.engine.rerank.finish(run);
    await slow.reachedBy(work);
    await engine().rerank.cancel();
    const next = await begin();
    slow.wake();
    expect(await work).to.equal('gone');
    expect((await engine().rerank.status()).underWay?.run).to.equal(next);
  });
});

import { Worker } from 'bullmq';
import { expect } from 'chai';
import { queuePrefix } from '../../../../ops/runtime/queues/catalog.ts';
import { enqueueBatch } from '../../../../ops/runtime/queues/enqueue.ts';
import { watchQueues } from '../../../../ops/runtime/queues/queue-health.ts';
import { createQueueMetrics, createRegistry } from '../../../../ops/runtime/telemetry/index.ts';
import { freshDatabase } from '../../../support/engines.ts';
import { eventually } from '../../../support/eventually.ts';
import { openRankingWorld } from '../../../support/ranking-world.ts';
import { rethrow } from '../../../support/rethrow.ts';
import { openTestQueues } from '../../../support/test-queues.ts';

const LONG_MS = 600_000;

describe('queue health', () => {
  it('counts jobs that wait, run, are delayed or failed', async () => {
    const database = await freshDatabase();
    const work = openTestQueues(database);
    const { ingest, upkeep } = work.queues;
    await ingest.add('process-batch', { batch: 'running' });
    const worker = new Worker('ingest', null, {
      connection: work.redis,
      prefix: queuePrefix(database.prefix, 'ingest'),
    });
    const running = await worker.getNextJob('a-token');
    await ingest.add('process-batch', { batch: 'later' }, { delay: LONG_MS });
    await ingest.add('process-batch', { batch: 'old' }, { timestamp: Date.now() - LONG_MS });
    await ingest.add('process-batch', { batch: 'new' });
    await upkeep.add('collect-garbage', {}, { delay: LONG_MS });
    const registry = createRegistry();
    const health = watchQueues(work.queues, createQueueMetrics(registry), rethrow);
    const valuesOf = async (name: string): Promise<ReadonlyMap<string, number>> => {
      const values = (await registry.getSingleMetric(name)?.get())?.values ?? [];
      return new Map(values.map(({ labels, value }) => [Object.values(labels).join(' '), value]));
    };
    const oldest = () => valuesOf('upsilon_queue_oldest_waiting_seconds');
    await eventually('a look at every queue', async () => (await oldest()).size === 4);
    await health.close();
    const jobs = await valuesOf('upsilon_queue_jobs');
    expect(['waiting', 'active', 'delayed', 'failed'].map((state) => jobs.get(`ingest ${state}`))).to.deep.equal([
      2, 1, 1, 0,
    ]);
    expect(jobs.get('upkeep delayed')).to.equal(1);
    expect((await oldest()).get('ingest')).to.be.at.least(LONG_MS / 1_000);
    expect((await oldest()).get('upkeep')).to.equal(0);
    await running.moveToCompleted(null, 'a-token', false);
    await worker.close();
    await work.close();
  });

  it('counts the snapshots that wait, whatever the size of their batches', async () => {
    const world = await openRankingWorld();
    const work = openTestQueues(world.database);
    const operator = await world.enrol('sample-heron');
    const log = async (entries: number): Promise<string> => {
      world.now += 1;
      const batch = Array.from({ length: entries }, () => world.entry(operator, { input: 1, output: 1 }));
      const [outcome] = await world.ranking.log.append(batch);
      return outcome?.kind === 'stored' ? outcome.batch : '';
    };
    const queue = async (entries: number) => enqueueBatch(work.queues, await log(entries));
    const old = await log(1);
    for (let decided = 0; decided < 20; decided++) await log(9);
    await enqueueBatch(work.queues, old);
    for (let batch = 0; batch < 120; batch++) await queue(1);
    await queue(5);
    const metrics = createQueueMetrics(createRegistry());
    const health = watchQueues(work.queues, metrics, () => undefined, world.ranking.log.countIn);
    const counts = (least: number, most: number) =>
      eventually(`${least} to ${most}`, () => health.waitingEntries() >= least && health.waitingEntries() <= most);
    await counts(126, 126);
    for (let batch = 0; batch < 150; batch++) await queue(2);
    // Those that wait longest have one entry, and those that came last two.
    await counts(300, 550);
    await work.queues.ingest.obliterate({ force: true });
    await counts(0, 0);
    await health.close();
    await work.close();
    await world.close();
  });
});

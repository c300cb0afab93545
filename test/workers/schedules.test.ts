import { Worker } from 'bullmq';
import { expect } from 'chai';
import { JOB_NAMES, JOBS } from '../../ops/runtime/queues/catalog.ts';
import { createRegistry, createScheduleMetrics } from '../../ops/runtime/telemetry/index.ts';
import { keepSchedules, type Schedules } from '../../workers/schedules.ts';
import { eventually } from '../support/eventually.ts';
import { openFreshQueues } from '../support/test-queues.ts';
import { useFixture } from '../support/use-fixture.ts';

const STARTED_AT = 1_000_000;

describe('the schedules of the catalog', () => {
  const work = useFixture(openFreshQueues);
  const errors: unknown[] = [];

  /** The schedules of a process that started long ago, and its metric of the last successes in seconds by job. */
  function keep(): { readonly schedules: Schedules; readonly successes: () => Promise<ReadonlyMap<string, number>> } {
    const registry = createRegistry();
    const { redis, queues } = work();
    const metrics = createScheduleMetrics(registry, STARTED_AT);
    return {
      schedules: keepSchedules({
        queues,
        redis,
        prefix: work().database.prefix,
        metrics,
        onError: (error) => errors.push(error),
      }),
      async successes() {
        const metric = await registry.getSingleMetric('upsilon_schedule_last_success_timestamp_seconds')?.get();
        return new Map(metric?.values.map(({ labels, value }) => [String(labels['job_name']), value]));
      },
    };
  }

  it('are added, and replace those with another interval', async () => {
    const other = { every: 45_000 };
    await work().queues.upkeep.upsertJobScheduler('advance-hour', other, { name: 'advance-hour', data: {} });
    const { schedules } = keep();
    await schedules.close();
    for (const name of JOB_NAMES) {
      const { queue, everyMs, attempts } = JOBS[name];
      const known = await work().queues[queue].getJobScheduler(name);
      expect(known?.every ?? null, name).to.equal(everyMs);
      if (everyMs !== null) expect(known?.template?.opts, name).to.include({ attempts });
    }
    expect(errors).to.deep.equal([]);
  });

  it('keep their phase when they exist', async () => {
    const before = (await work().queues.upkeep.getJobScheduler('collect-garbage'))?.next;
    const { schedules } = keep();
    await schedules.close();
    expect((await work().queues.upkeep.getJobScheduler('collect-garbage'))?.next).to.equal(before);
  });

  it('report the last success of scheduled jobs to every process, and of no other job', async () => {
    const began = Date.now();
    const here = keep();
    here.schedules.succeeded('collect-garbage');
    here.schedules.succeeded('process-batch');
    expect((await here.successes()).get('collect-garbage')).to.be.at.least(began / 1_000);
    await eventually('the shared success', async () =>
      work().redis.hexists(`${work().database.prefix}:successes`, 'collect-garbage'),
    );
    const there = keep();
    await Promise.all([here.schedules.close(), there.schedules.close()]);
    const [own, others] = [await here.successes(), await there.successes()];
    expect(others.get('collect-garbage')).to.equal(own.get('collect-garbage'));
    expect(others.get('advance-hour')).to.equal(STARTED_AT / 1_000);
    expect(others.has('process-batch')).to.equal(false);
    await work().redis.del(`${work().database.prefix}:successes`);
  });

  it('forget a failed run once a later one has succeeded', async () => {
    const { schedules } = keep();
    const { upkeep } = work().queues;
    for (const name of ['reconcile-log', 'retain-log']) await upkeep.add(name, {}, { attempts: 1 });
    const worker = new Worker('upkeep', null, work().worker('upkeep'));
    for (let job = await worker.getNextJob('token'); job !== undefined; job = await worker.getNextJob('token')) {
      await job.moveToFailed(new Error('the store was away'), 'token', false);
    }
    expect(await upkeep.getFailedCount()).to.be.at.least(2);
    schedules.succeeded('reconcile-log');
    await eventually('the failure is forgotten', async () =>
      (await upkeep.getFailed()).every(({ name }) => name !== 'reconcile-log'),
    );
    expect((await upkeep.getFailed()).map(({ name }) => name)).to.include('retain-log');
    await worker.close();
    await schedules.close();
  });
});

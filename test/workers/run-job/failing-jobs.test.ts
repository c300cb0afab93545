import { readFileSync } from 'node:fs';
import { DelayedError, type Job, type Queue, Worker } from 'bullmq';
import { expect } from 'chai';
import { z } from 'zod';
import { freePort } from '../../../ops/local/free-port.ts';
import { queuePrefix } from '../../../ops/runtime/queues/catalog.ts';
import { JOB_NAMES, JOBS, openQueues, type Queues } from '../../../ops/runtime/queues/index.ts';
import { openBlockingRedis } from '../../../ops/runtime/stores/index.ts';
import { eventually } from '../../support/eventually.ts';
import { runService } from '../../support/running-service.ts';
import { useFixture } from '../../support/use-fixture.ts';

describe('jobs that a worker cannot run', () => {
  const metricsPort = useFixture(() => freePort(2));
  const service = useFixture(() => runService({ metricsPort: metricsPort(), onLog: (line) => logged.push(line) }));
  let queues: Queues;
  let close: () => Promise<void>;
  const logged: string[] = [];

  before(async () => {
    const redis = openBlockingRedis(service().database.redisUrl, () => undefined);
    queues = openQueues(redis, service().database.prefix, () => undefined);
    close = async () => {
      await queues.close();
      redis.disconnect();
    };
  });

  after(() => close());

  it('of a newer release are left for a worker that knows them, with all their attempts', async () => {
    await queues.upkeep.add('map-the-moon', { phase: 1 }, { jobId: 'newer', attempts: 2 });
    const left = await eventually('a job that is put back', async () => {
      const job = await queues.upkeep.getJob('newer');
      return (await job?.getState()) === 'delayed' ? job : null;
    });
    expect({ made: left.attemptsMade, reason: left.failedReason }).to.deep.equal({ made: 0, reason: undefined });

    let applied: unknown;
    const redis = openBlockingRedis(service().database.redisUrl, () => undefined);
    const take = async (job: Job, token?: string): Promise<void> => {
      if (job.name === 'map-the-moon') applied = job.data;
      else await job.moveToDelayed(Date.now(), token).then(() => Promise.reject(new DelayedError()));
    };
    const newer = new Worker('upkeep', take, {
      connection: redis,
      prefix: queuePrefix(service().database.prefix, 'upkeep'),
    });
    // Any free worker takes it, eventually the newer one.
    await eventually('the newer worker', async () => {
      await left.promote().catch(() => undefined);
      return applied;
    });
    await newer.close();
    redis.disconnect();
    expect(applied).to.deep.equal({ phase: 1 });
    const lines = logged.filter((line) => line.includes('unknown job map-the-moon'));
    expect(lines, 'log lines, however often it was delayed').to.have.length(1);
    expect(logged.filter((line) => line.includes('"msg":"a job failed"'))).to.deep.equal([]);
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort() + 1}/metrics`)).text();
    expect(metrics).to.match(/^upsilon_jobs_total\{job_name="unknown",outcome="left"\} [1-9]/m);
    expect(metrics).to.not.match(/^upsilon_jobs_total\{job_name="unknown",outcome="(?:failed|retried)"\}/m);
  });

  it('change their name with their payload', () => {
    const shapes = Object.fromEntries(
      JOB_NAMES.map((name) => [name, z.toJSONSchema<z.ZodType>(JOBS[name].schema, { io: 'input' })]),
    );
    const known: unknown = JSON.parse(readFileSync(new URL('../payload-shapes.json', import.meta.url), 'utf8'));
    const advice = 'a worker of the former version refuses the changed payload: give the job another name';
    expect(shapes, advice).to.deep.equal(known);
  });

  it('with an invalid payload fail at once, whatever attempts remain', async () => {
    await queues.ingest.add('process-batch', { nonsense: 1 }, { jobId: 'nonsense', attempts: 10 });
    expect(await failureOf(queues.ingest, 'nonsense')).to.contain("not the job's payload");
    expect((await queues.ingest.getJob('nonsense'))?.attemptsMade).to.equal(1);
  });
});

async function failureOf(queue: Queue, id: string): Promise<string> {
  return eventually('a failure', async () => {
    const job = await queue.getJob(id);
    return (await job?.getState()) === 'failed' ? (job?.failedReason ?? null) : null;
  });
}

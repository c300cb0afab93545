import type { Queue } from 'bullmq';
import { expect } from 'chai';
import { openPatientRedis, openQueues, type Queues } from '../../workers/index.ts';
import { eventually } from '../support/eventually.ts';
import { type RunningService, runService } from '../support/running-service.ts';

describe('jobs that no worker can do', () => {
  let service: RunningService;
  let queues: Queues;
  let close: () => Promise<void>;

  before(async () => {
    service = await runService();
    const redis = openPatientRedis(service.database.redisUrl, () => undefined);
    queues = openQueues(redis, service.database.prefix, () => undefined);
    close = async () => {
      await queues.close();
      redis.disconnect();
    };
  });

  after(async () => {
    await close();
    await service[Symbol.asyncDispose]();
  });

  it('of a newer version fail with a word about it, and are kept', async () => {
    await queues.upkeep.add('fold-the-moon', {}, { jobId: 'newer' });
    expect(await failureOf(queues.upkeep, 'newer')).to.contain('does not know the job fold-the-moon');
  });

  it('with a payload that is not the catalog’s fail at once, whatever attempts they have', async () => {
    await queues.ingest.add('fold-group', { nonsense: 1 }, { jobId: 'nonsense', attempts: 10 });
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

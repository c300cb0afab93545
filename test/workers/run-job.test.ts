import { once } from 'node:events';
import { Worker } from 'bullmq';
import { expect } from 'chai';
import { createAccounts } from '../../engine/accounts/index.ts';
import { type JobName, queuePrefix } from '../../ops/runtime/queues/catalog.ts';
import { enqueueBatch } from '../../ops/runtime/queues/enqueue.ts';
import { createLogger, createQueueMetrics, createRegistry } from '../../ops/runtime/telemetry/index.ts';
import type { HandlerContext } from '../../workers/handlers/context.ts';
import { runJob, SKIPPED } from '../../workers/run-job.ts';
import { startWorkers } from '../../workers/start-workers.ts';
import { eventually } from '../support/eventually.ts';
import { openRankingWorld, type RankingWorld } from '../support/ranking-world.ts';
import { openFreshQueues, openTestQueues } from '../support/test-queues.ts';
import { useFixture } from '../support/use-fixture.ts';

const ATTEMPTS = 3;

describe('a run of a job', () => {
  const world = useFixture(openRankingWorld);
  const work = useFixture(() => openTestQueues(world().database));

  const contextOf = (ranking: RankingWorld['ranking'], maintain = async () => undefined): HandlerContext => ({
    ranking,
    queues: work().queues,
    accounts: createAccounts({ connection: world().connection, clock: () => world().now }),
    billing: { card: null, forget: async () => undefined },
    purchases: { maintain },
    integrityMetrics: { counted: () => undefined },
    archive: null,
    mailer: null,
    accountUrl: '',
    siteUrl: '',
    clock: () => world().now,
    logThrottled: () => undefined,
  });

  it('fails after its timeout', async () => {
    const context = contextOf(world().ranking, () => new Promise(() => {}));
    const job = await work().queues.billing.add('maintain-purchases', {});
    const given = { job, token: undefined, running: new Set<JobName>(), onUnknown: () => undefined, timeoutMs: 1 };
    expect(await runJob(context, given).catch((error: unknown) => error))
      .to.be.an('error')
      .with.property('message', 'maintain-purchases took longer than 0.001 s');
  });

  it('can heed its deadline, and the closing of its process', async () => {
    const signals: AbortSignal[] = [];
    const rank = (signal?: AbortSignal): Promise<'aborted'> =>
      new Promise((resolve) => {
        signals.push(signal!);
        signal!.addEventListener('abort', () => resolve('aborted'));
      });
    const context = contextOf({ ...world().ranking, platforms: { rank } });
    const job = await work().queues.upkeep.add('rank-platforms', {});
    const given = { job, token: undefined, running: new Set<JobName>(), onUnknown: () => undefined };
    const late = await runJob(context, { ...given, timeoutMs: 1 }).catch((error: unknown) => error);
    expect(late).to.be.an('error');
    expect(signals[0]?.aborted).to.equal(true);
    const closing = new AbortController();
    const closed = runJob(context, { ...given, closing: closing.signal });
    expect(signals[1]?.aborted).to.equal(false);
    closing.abort();
    expect(await closed).to.equal('aborted');
  });

  it('of a schedule that still runs in this process is skipped, and takes no place from others', async () => {
    const running = new Set<JobName>();
    const hung = contextOf(world().ranking, () => new Promise(() => {}));
    const job = await work().queues.billing.add('maintain-purchases', {});
    const given = { job, token: undefined, running, onUnknown: () => undefined };
    const first = runJob(hung, { ...given, timeoutMs: 500 }).catch((error: unknown) => error);
    expect(await runJob(hung, { ...given, timeoutMs: 60_000 })).to.equal(SKIPPED);
    const other = await work().queues.upkeep.add('collect-garbage', {});
    expect(await runJob(hung, { ...given, job: other })).to.not.equal(SKIPPED);
    expect(await first).to.be.an('error');
    expect(await runJob(contextOf(world().ranking), given)).to.not.equal(SKIPPED);
  });

  it('of a schedule that is skipped is no success of it, in the alert about it and in the metrics', async () => {
    const fresh = await openFreshQueues();
    const { queues, redis, database } = fresh;
    const ends = new AbortController();
    const hung = once(ends.signal, 'abort').then(() => undefined);
    const registry = createRegistry();
    const succeeded: JobName[] = [];
    const workers = startWorkers({
      connection: redis,
      prefix: database.prefix,
      context: contextOf(world().ranking, () => hung),
      metrics: createQueueMetrics(registry),
      onCompleted: (name) => succeeded.push(name),
      log: createLogger({ logLevel: 'silent', name: 'test' }),
      logThrottled: () => undefined,
    });
    const begin = async (name: JobName, state: 'active' | 'completed') => {
      const { id } = await queues.billing.add(name, {});
      await eventually(`${name} to be ${state}`, async () => (await queues.billing.getJobState(id!)) === state);
    };
    const counted = async () => (await registry.metrics()).match(/^upsilon_jobs_total\{.*completed.*$/gm);
    await begin('maintain-purchases', 'active');
    await begin('maintain-purchases', 'completed');
    // The worker reports in the order of its replies.
    await begin('maintain-billing', 'completed');
    await eventually('the success of another job', () => succeeded.includes('maintain-billing'));
    const [meanwhile, metrics] = [[...succeeded], await counted()];
    ends.abort();
    await workers.close();
    await fresh.close();
    expect(meanwhile).to.deep.equal(['maintain-billing']);
    expect(metrics).to.deep.equal(['upsilon_jobs_total{job_name="maintain-billing",outcome="completed"} 1']);
    expect(succeeded).to.deep.equal(['maintain-billing', 'maintain-purchases']);
  });

  it('processes a failing batch entry by entry in the last attempt, and in none before', async () => {
    const [good, bad] = [await world().enrol('good-one'), await world().enrol('bad-one')];
    const counts = { input: 10, output: 20, cache_read: 30 };
    const entries = [world().entry(good, counts), world().entry(bad, counts)];
    const { kid } = JSON.parse(Buffer.from(entries[1]!.signature.split('.')[0]!, 'base64url').toString('utf8'));
    let failed = 0;
    const ranking = world().another({
      deviceKeys: async (kids) => {
        if (kids.includes(kid)) throw new TypeError('this key cannot be read');
        return world().deviceKeys(kids);
      },
    });
    const context = contextOf(ranking);
    const [stored] = await world().ranking.log.append(entries);
    if (stored?.kind !== 'stored') throw new Error('not stored');
    await enqueueBatch(work().queues, stored.batch);
    const job = (await work().queues.ingest.getJob(stored.batch))!;
    job.opts.attempts = ATTEMPTS;
    await job.remove();
    await work().queues.ingest.add(job.name, job.data, { ...job.opts, jobId: stored.batch });
    const worker = new Worker(
      'ingest',
      (given, token) => runJob(context, { job: given, token, running: new Set(), onUnknown: () => undefined }),
      {
        connection: work().redis,
        prefix: queuePrefix(world().database.prefix, 'ingest'),
      },
    );
    worker.on('failed', () => {
      failed += 1;
    });
    const verdictOf = async (operator: number, index: number) =>
      (await world().ranking.log.findVerdict(operator, entries[index]!.jti))?.verdict;
    // Without the backoff of the catalog.
    await eventually('a verdict', async () => {
      const delayed = await work().queues.ingest.getJob(stored.batch);
      if ((await delayed?.getState()) === 'delayed') await delayed?.promote().catch(() => undefined);
      return verdictOf(bad, 1);
    });
    await worker.close();
    expect(failed, 'attempts before').to.equal(ATTEMPTS - 1);
    expect(await verdictOf(good, 0)).to.include({ accepted: true });
    expect(await verdictOf(bad, 1)).to.include({ accepted: false, reason: 'entry_poisoned' });
    expect(await work().queues.ingest.getFailedCount()).to.equal(0);
  });
});

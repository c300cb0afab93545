import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { processEnvironment } from '../../config/env.ts';
import { createAccounts } from '../../engine/accounts/index.ts';
import { type Connection, openMongo } from '../../engine/mongo/index.ts';
import { createRanking, type Ranking } from '../../engine/ranking/index.ts';
import { KEY_PREFIX, openPromptRedis, openQueues } from '../../workers/index.ts';
import { type FaultProxy, openFaultProxy } from '../support/fault-proxy.ts';
import { runSeed, type SeededRandom, seededRandom } from '../support/seeded-random.ts';
import { checkLog } from './check-log.ts';
import { type FaultRow, faultTable } from './fault-table.ts';
import { type Acknowledged, enrolSenders, type Load, startLoad } from './load.ts';
import { faultName, planSchedule } from './plan-schedule.ts';
import { playSchedule, type Stage } from './play-schedule.ts';
import { type ServiceUnderFire, startServiceUnderFire } from './service-under-fire.ts';

/** Schedules in all, each with a seed of its own; `FAULT_SCHEDULES` asks for another number. */
const SCHEDULES = Number(processEnvironment()['FAULT_SCHEDULES'] ?? 10);
/** After a schedule the service answers with verdicts again, and then everything holds, within this time. */
const RECOVERED_WITHIN_MS = 60_000;
const LOOK_AGAIN_MS = 250;
const REPEATED_GROUPS = 30;
const SECONDS_A_SCHEDULE = 130;

describe('schedules of faults under load', function () {
  this.timeout(SECONDS_A_SCHEDULE * 1_000);
  const seed = runSeed();
  const rows: FaultRow[] = [];
  const acknowledged = new Map<string, Acknowledged>();
  let service: ServiceUnderFire;
  let stage: Stage;
  let connection: Connection;
  let ranking: Ranking;
  let senders: Awaited<ReturnType<typeof enrolSenders>>;

  before(async () => {
    const ways: FaultProxy[] = [];
    service = await startServiceUnderFire(async ({ mongoUrl, redisUrl }) => {
      const [mongo, redis] = await Promise.all([mongoUrl, redisUrl].map(proxied));
      if (mongo === undefined || redis === undefined) throw new Error('both engines have an address');
      ways.push(mongo.proxy, redis.proxy);
      return { mongoUrl: mongo.url, redisUrl: redis.url };
    });
    connection = await openMongo(service.engines.database.mongoUrl);
    const accounts = createAccounts({ connection, clock: Date.now });
    ranking = createRanking({ connection, clock: Date.now, deviceKeys: accounts.deviceKeys });
    senders = await enrolSenders({ accounts, ranking }, service);
    const [mongo, redis] = ways;
    if (mongo === undefined || redis === undefined) throw new Error('the ways were not opened');
    stage = {
      service,
      ways: { MongoDB: mongo, Redis: redis },
      repeatJobs: () => repeatJobs(service, connection, seed),
    };
  });

  after(async () => {
    await connection?.close();
    await service?.close();
    await Promise.all(Object.values(stage?.ways ?? {}).map((way) => way.close()));
    process.stdout.write(`\n  schedules (seed ${seed})\n${faultTable(rows)}\n\n`);
  });

  for (let index = 0; index < SCHEDULES; index++) {
    const random = seededRandom(seed + index);
    const schedule = planSchedule(random);
    it(`${schedule.map(faultName).join(', ')} (seed ${seed + index})`, async () => {
      const load = startLoad(service.baseUrl, senders, random, `storm-${index}`);
      try {
        await playSchedule(stage, schedule);
        await verdictAgain(load);
      } finally {
        await load.stop();
      }
      const began = performance.now();
      for (const [id, answer] of load.acknowledged) acknowledged.set(id, answer);
      const { logged } = await whole(connection, ranking, acknowledged);
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      const answers = [...load.answers].map(([answer, times]) => `${answer}: ${times}`).join(', ');
      const outcome = `whole after ${seconds} s; ${logged} logged; answers ${answers}`;
      rows.push({ fault: `${seed + index}`, mode: 'schedule', hits: schedule.length, outcome });
      expect(service.falls, 'processes that ended by themselves').to.deep.equal([]);
      expect(load.acknowledged.size, 'acknowledged snapshots').to.be.above(0);
      expect(load.answers.get('500') ?? 0, 'answers that name no cause').to.be.below(load.acknowledged.size);
    });
  }
});

/** The address of an engine with a proxy's port in it. */
async function proxied(url: string): Promise<{ readonly url: string; readonly proxy: FaultProxy }> {
  const address = new URL(url);
  const proxy = await openFaultProxy(Number(address.port));
  address.port = String(proxy.port);
  return { url: address.href, proxy };
}

async function verdictAgain(load: Load): Promise<void> {
  const patience = new AbortController();
  const late = pause(RECOVERED_WITHIN_MS, 'late', { signal: patience.signal }).catch(() => 'in time');
  const came = await Promise.race([load.nextVerdict().then(() => 'in time'), late]);
  patience.abort();
  expect(came, 'a verdict after the last fault').to.equal('in time');
}

/** Looks until everything holds; throws what does not when the time is over. */
async function whole(connection: Connection, ranking: Ranking, acknowledged: ReadonlyMap<string, Acknowledged>) {
  const deadline = performance.now() + RECOVERED_WITHIN_MS;
  for (;;) {
    try {
      return await checkLog(connection, ranking, acknowledged);
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(LOOK_AGAIN_MS);
    }
  }
}

/** Gives groups of the log jobs that nobody asked for, under names of their own and in any order. */
async function repeatJobs({ engines }: ServiceUnderFire, connection: Connection, seed: number): Promise<void> {
  const random: SeededRandom = seededRandom(seed);
  const log = connection.db!.collection<{ group: string }>('snapshots');
  const groups = random.shuffled(await log.distinct('group')).slice(0, REPEATED_GROUPS);
  const redis = openPromptRedis(engines.database.redisUrl, () => undefined);
  const queues = openQueues(redis, KEY_PREFIX, () => undefined);
  try {
    for (const group of groups) {
      await queues.ingest.add('fold-group', { group }, { jobId: `again-${randomUUID()}`, removeOnComplete: true });
    }
  } finally {
    await queues.close();
    redis.disconnect();
  }
}

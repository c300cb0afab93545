import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { processEnvironment } from '../../config/env.ts';
import { type Accounts, createAccounts } from '../../engine/accounts/index.ts';
import { type Connection, openMongo } from '../../engine/mongo/index.ts';
import { createRanking, type Ranking } from '../../engine/ranking/index.ts';
import { type FaultProxy, openFaultProxy } from '../support/fault-proxy.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { checkLog } from './check-log.ts';
import { recordProof, type ScheduleResult } from './fault-proof.ts';
import { type FaultRow, faultTable } from './fault-table.ts';
import { canLackSpace } from './lack-space.ts';
import { type Acknowledged, enrolSenders, type Load, type Sender, startLoad, withNewTokens } from './load.ts';
import { faultName, KINDS, planSchedule } from './plan-schedule.ts';
import { playSchedule, type Stage } from './play-schedule.ts';
import { repeatJobs } from './reorder-jobs.ts';
import { type ServiceUnderFire, startServiceUnderFire } from './service-under-fire.ts';

/** Schedules in all, each with a seed of its own; `FAULT_SCHEDULES` asks for another number. */
const SCHEDULES = Number(processEnvironment()['FAULT_SCHEDULES'] ?? 10);
/** After a schedule the service answers with verdicts again, and then everything holds, within this time. */
const RECOVERED_WITHIN_MS = 60_000;
const LOOK_AGAIN_MS = 250;
const SECONDS_A_SCHEDULE = 140;

const canSpare = await canLackSpace();
const kinds = KINDS.filter((kind) => kind !== 'no space' || canSpare);

describe('schedules of faults under load', function () {
  this.timeout(SECONDS_A_SCHEDULE * 1_000);
  const seed = runSeed();
  const rows: FaultRow[] = [];
  const results: ScheduleResult[] = [];
  const acknowledged = new Map<string, Acknowledged>();
  let logged = 0;
  let service: ServiceUnderFire;
  let ways: Stage['ways'];
  let connection: Connection;
  let ranking: Ranking;
  let accounts: Accounts;
  let senders: readonly Sender[];

  before(async () => {
    const opened: FaultProxy[] = [];
    service = await startServiceUnderFire(async ({ mongoUrl, redisUrl }) => {
      const [mongo, redis] = await Promise.all([mongoUrl, redisUrl].map(proxied));
      if (mongo === undefined || redis === undefined) throw new Error('both engines have an address');
      opened.push(mongo.proxy, redis.proxy);
      return { mongoUrl: mongo.url, redisUrl: redis.url };
    });
    connection = await openMongo(service.engines.database.mongoUrl);
    const clock = (): number => service.clocks.now();
    accounts = createAccounts({ connection, clock });
    ranking = createRanking({ connection, clock, deviceKeys: accounts.deviceKeys });
    senders = await enrolSenders({ accounts, ranking }, service);
    const [mongo, redis] = opened;
    if (mongo === undefined || redis === undefined) throw new Error('the ways were not opened');
    ways = { MongoDB: mongo, Redis: redis };
  });

  after(async () => {
    await connection?.close();
    await service?.close();
    await Promise.all(Object.values(ways ?? {}).map((way) => way.close()));
    recordProof(results, logged);
    process.stdout.write(`\n  schedules (seed ${seed})\n${faultTable(rows)}\n\n`);
  });

  for (let index = 0; index < SCHEDULES; index++) {
    const random = seededRandom(seed + index);
    const schedule = planSchedule(random, kinds, index);
    const faults = schedule.faults.map(faultName);
    it(`${faults.join(', ')} (seed ${seed + index})`, async () => {
      const { clocks, engines, baseUrl } = service;
      senders = await withNewTokens(accounts, senders, service);
      const load = startLoad({ baseUrl, senders, random, name: `storm-${index}`, clock: () => clocks.now() });
      const again = (): Promise<void> => repeatJobs(engines.database.redisUrl, connection, random);
      let ended = performance.now();
      let verdictAfterMs: number | null = null;
      let wholeAfterMs: number | null = null;
      try {
        await playSchedule({ service, ways, load, random, repeatJobs: again }, schedule);
        ended = performance.now();
        await verdictAgain(load);
        verdictAfterMs = Math.round(performance.now() - ended);
        await load.stop();
        // A step that lasted leaves marks of its time, which hold once it has come.
        clocks.catchUp();
        for (const [id, answer] of load.acknowledged) acknowledged.set(id, answer);
        const began = performance.now();
        logged = (await whole(connection, ranking, acknowledged, () => clocks.now())).logged;
        wholeAfterMs = Math.round(performance.now() - began);
      } finally {
        await load.stop();
        results.push({
          seed: seed + index,
          faults,
          acknowledged: load.acknowledged.size,
          verdictAfterMs,
          wholeAfterMs,
        });
        const answers = [...load.answers].map(([answer, times]) => `${answer}: ${times}`).join(', ');
        const outcome = `verdict after ${verdictAfterMs} ms, whole after ${wholeAfterMs} ms more; ${logged} logged; ${answers}`;
        rows.push({ fault: `${seed + index}`, mode: 'schedule', hits: faults.length, outcome });
      }
      expect(service.falls, 'processes that ended by themselves').to.deep.equal([]);
      expect(load.acknowledged.size, 'acknowledged snapshots').to.be.above(0);
      expect(faultsOfOurs(load), 'answers that name no cause').to.deep.equal([]);
    });
  }
});

/** Answers with a status from 500 on, but for the one that says that the storage is away. */
function faultsOfOurs({ answers }: Load): string[] {
  return [...answers.keys()].filter((answer) => answer.startsWith('5') && answer !== '500 storage_unavailable');
}

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
async function whole(
  connection: Connection,
  ranking: Ranking,
  acknowledged: ReadonlyMap<string, Acknowledged>,
  clock: () => number,
) {
  const deadline = performance.now() + RECOVERED_WITHIN_MS;
  for (;;) {
    try {
      return await checkLog(connection, ranking, acknowledged, clock());
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(LOOK_AGAIN_MS);
    }
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Accounts, createAccounts } from '../../engine/accounts/index.ts';
import { type Connection, openMongo } from '../../engine/mongo/index.ts';
import { createRanking, type Ranking } from '../../engine/ranking/index.ts';
import { type FaultProxy, openFaultProxy } from '../support/fault-proxy.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { checkLog } from './check-log.ts';
import { type Acknowledged, enrolSenders, type Load, type Sender, startLoad, withNewTokens } from './load.ts';
import { type ServiceUnderFire, startServiceUnderFire } from './service-under-fire.ts';

/** After a fault the service answers with verdicts again, and then everything holds, within this time. */
const RECOVERED_WITHIN_MS = 60_000;
const LOOK_AGAIN_MS = 250;

/** A service whose processes and whose ways to its engines may be struck, and what it owes to whom it answered. */
export interface FaultStage {
  readonly service: ServiceUnderFire;
  readonly ways: Readonly<Record<'MongoDB' | 'Redis', FaultProxy>>;
  /** Leads to MongoDB past the way of the service. */
  readonly connection: Connection;
  /** Starts to send; `name` tells the snapshots of one load from those of another. */
  startLoad(random: SeededRandom, name: string): Promise<Load>;
  /** Looks until everything that any load was ever answered holds; throws what does not when the time is over. */
  whole(load: Load): Promise<{ readonly logged: number }>;
  close(): Promise<void>;
}

export async function openFaultStage(): Promise<FaultStage> {
  const opened: FaultProxy[] = [];
  const service = await startServiceUnderFire(async ({ mongoUrl, redisUrl }) => {
    const [mongo, redis] = await Promise.all([proxied(mongoUrl), proxied(redisUrl)]);
    opened.push(mongo.proxy, redis.proxy);
    return { mongoUrl: mongo.url, redisUrl: redis.url };
  });
  const [mongo, redis] = opened;
  if (mongo === undefined || redis === undefined) throw new Error('the ways were not opened');
  const connection = await openMongo(service.engines.database.mongoUrl);
  const clock = (): number => service.clocks.now();
  const accounts: Accounts = createAccounts({ connection, clock });
  const ranking: Ranking = createRanking({
    connection,
    clock,
    deviceKeys: accounts.deviceKeys,
    sharedSecret: accounts.sharedSecret,
  });
  const enrolled: readonly Sender[] = await enrolSenders({ accounts, ranking }, service);
  const acknowledged = new Map<string, Acknowledged>();
  return {
    service,
    ways: { MongoDB: mongo, Redis: redis },
    connection,
    async startLoad(random, name) {
      const senders = await withNewTokens(accounts, enrolled, service);
      return startLoad({ baseUrl: service.baseUrl, senders, random, name, clock });
    },
    async whole(load) {
      for (const [id, answer] of load.acknowledged) acknowledged.set(id, answer);
      const deadline = performance.now() + RECOVERED_WITHIN_MS;
      for (;;) {
        try {
          return await checkLog(connection, ranking, acknowledged, clock());
        } catch (error) {
          if (performance.now() > deadline) throw error;
          await pause(LOOK_AGAIN_MS);
        }
      }
    },
    async close() {
      await connection.close();
      await service.close();
      await Promise.all(opened.map((way) => way.close()));
    },
  };
}

/** Waits for the service to answer with a verdict again. */
export async function verdictAgain(load: Load): Promise<void> {
  const patience = new AbortController();
  const late = pause(RECOVERED_WITHIN_MS, 'late', { signal: patience.signal }).catch(() => 'in time');
  const came = await Promise.race([load.nextVerdict().then(() => 'in time'), late]);
  patience.abort();
  expect(came, 'a verdict after the last fault').to.equal('in time');
}

/** Answers with a status from 500 on, but for the one that says that the storage is away. */
export function faultsOfOurs({ answers }: Load): string[] {
  return [...answers.keys()].filter((answer) => answer.startsWith('5') && answer !== '500 storage_unavailable');
}

/** The address of an engine with a proxy's port in it. */
async function proxied(url: string): Promise<{ readonly url: string; readonly proxy: FaultProxy }> {
  const address = new URL(url);
  const proxy = await openFaultProxy(Number(address.port));
  address.port = String(proxy.port);
  return { url: address.href, proxy };
}

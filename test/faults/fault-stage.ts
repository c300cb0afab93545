import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { type Connection, openMongo } from '../../engine/mongo/index.ts';
import { type FaultProxy, openFaultProxy } from '../support/fault-proxy.ts';
import { openEngine } from '../support/open-engine.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { checkLog } from './check-log.ts';
import { type Acknowledged, enrolSenders, type Load, type Sender, startLoad, withNewTokens } from './load.ts';
import { type ServiceUnderFire, startServiceUnderFire } from './service-under-fire.ts';

/** Limit for the first verdict after a fault, and then for all invariants to hold. */
const RECOVERED_WITHIN_MS = 60_000;
const CHECK_INTERVAL_MS = 250;

/** A service whose processes and database connections can fail, and the snapshots that it acknowledged. */
export interface FaultStage {
  readonly service: ServiceUnderFire;
  readonly proxies: Readonly<Record<'MongoDB' | 'Redis', FaultProxy>>;
  /** A connection to MongoDB without the proxy. */
  readonly connection: Connection;
  /** Starts a load; `name` is the prefix of its snapshot ids. */
  startLoad(random: SeededRandom, name: string): Promise<Load>;
  /** Checks until all invariants hold for the acknowledgements of all loads; throws the last violation after a timeout. */
  expectConsistent(load: Load): Promise<{ readonly logged: number }>;
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
  if (mongo === undefined || redis === undefined) throw new Error('the proxies were not opened');
  const connection = await openMongo(service.engines.database.mongoUrl);
  const clock = (): number => service.clocks.now();
  const { accounts, ranking } = openEngine(connection, clock);
  const enrolled: readonly Sender[] = await enrolSenders({ accounts, ranking }, service);
  const acknowledged = new Map<string, Acknowledged>();
  return {
    service,
    proxies: { MongoDB: mongo, Redis: redis },
    connection,
    async startLoad(random, name) {
      const senders = await withNewTokens(accounts, enrolled, service);
      return startLoad({ baseUrl: service.baseUrl, senders, random, name, clock });
    },
    async expectConsistent(load) {
      for (const [id, response] of load.acknowledged) acknowledged.set(id, response);
      const deadline = performance.now() + RECOVERED_WITHIN_MS;
      for (;;) {
        try {
          return await checkLog(connection, ranking, acknowledged, clock());
        } catch (error) {
          if (performance.now() > deadline) throw error;
          await pause(CHECK_INTERVAL_MS);
        }
      }
    },
    async close() {
      await connection.close();
      await service.close();
      await Promise.all(opened.map((proxy) => proxy.close()));
    },
  };
}

/** Waits for the next verdict. */
export async function expectVerdictSoon(load: Load): Promise<void> {
  const timeout = new AbortController();
  const late = pause(RECOVERED_WITHIN_MS, 'late', { signal: timeout.signal }).catch(() => 'in time');
  const came = await Promise.race([load.nextVerdict().then(() => 'in time'), late]);
  timeout.abort();
  expect(came, 'a verdict after the last fault').to.equal('in time');
}

/** Responses with a status from 500 on, except `storage_unavailable`. */
export function internalErrors({ responses }: Load): string[] {
  return [...responses.keys()].filter((response) => response.startsWith('5') && response !== '500 storage_unavailable');
}

/** Opens a proxy for an engine; returns the engine's URL with the proxy's port. */
async function proxied(url: string): Promise<{ readonly url: string; readonly proxy: FaultProxy }> {
  const address = new URL(url);
  const proxy = await openFaultProxy(Number(address.port));
  address.port = String(proxy.port);
  return { url: address.href, proxy };
}

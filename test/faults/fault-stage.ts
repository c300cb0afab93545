import { type Connection, openMongo } from '../../engine/mongo/index.ts';
import { eventually } from '../support/eventually.ts';
import { type FaultProxy, openFaultProxy } from '../support/fault-proxy.ts';
import { openEngine } from '../support/open-engine.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { checkLog } from './check-log.ts';
import { type Acknowledged, enrolSenders, type Load, type Sender, startLoad, withNewTokens } from './load.ts';
import { type ServiceUnderFire, startServiceUnderFire } from './service-under-fire.ts';

/** A service whose processes and database connections can fail, and the snapshots that it acknowledged. */
export interface FaultStage {
  readonly service: ServiceUnderFire;
  readonly proxies: Readonly<Record<'MongoDB' | 'Redis', FaultProxy>>;
  /** A connection to MongoDB without the proxy. */
  readonly connection: Connection;
  /** Starts a load; `name` is the prefix of its snapshot ids. */
  startLoad(random: SeededRandom, name: string): Promise<Load>;
  /** Checks until all invariants hold for the acknowledgements of all loads, which the cause of the error names. */
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
      return eventually('a consistent log', () => checkLog(connection, ranking, acknowledged, clock()));
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
  let came = false;
  void load.nextVerdict().then(() => (came = true));
  await eventually('a verdict after the last fault', () => came);
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

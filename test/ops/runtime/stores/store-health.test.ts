import { expect } from 'chai';
import { Redis } from 'ioredis';
import { openBlockingRedis, watchStores } from '../../../../ops/runtime/stores/index.ts';
import { createRegistry, createStoreMetrics } from '../../../../ops/runtime/telemetry/index.ts';
import { testEngines } from '../../../support/engines.ts';
import { eventually } from '../../../support/eventually.ts';
import { rethrow } from '../../../support/rethrow.ts';

const MONGODB = {
  ping: async () => undefined,
  poolUse: () => ({ open: 1, inUse: 0, wanted: 0 }),
  readStored: async () => ({ disk: { used: 3, total: 4 }, stored: { database: 2, log: 1 }, exportedAt: null }),
};

const silent = () => new Promise<never>(() => undefined);

describe('the watch over the stores', () => {
  it('reports what is stored, and by how much the clock is ahead of that of Redis', async () => {
    const redis = openBlockingRedis((await testEngines()).redisUrl, rethrow);
    if (!(redis instanceof Redis)) throw new Error('not a single server');
    const read = redis.time.bind(redis);
    redis.time = async () => (await read()).map((part, index) => (index === 0 ? part - 30 : part));
    const [registry, started] = [createRegistry(), Date.now() / 1_000];
    const stores = watchStores({ mongodb: MONGODB, redis }, createStoreMetrics(registry));
    await eventually('the offset', async () =>
      /^upsilon_clock_offset_seconds (29\.[5-9]|30\.[0-4])/m.test(await registry.metrics()),
    );
    stores.close();
    redis.disconnect();
    const text = await registry.metrics();
    for (const line of ['upsilon_disk_bytes{kind="total"} 4', 'upsilon_stored_bytes{data="log"} 1'])
      expect(text).to.include(line);
    // Nothing was exported: the start of the process.
    expect(Number(/^upsilon_export_timestamp_seconds (\S+)$/m.exec(text)?.[1])).to.be.closeTo(started, 60);
  });

  it('counts a Redis as down that became silent between two commands of a check', async () => {
    const redis = openBlockingRedis((await testEngines()).redisUrl, rethrow);
    if (!(redis instanceof Redis)) throw new Error('not a single server');
    // Until it is ready, which the client asks by `INFO` as well.
    await redis.ping();
    let isSilent = false;
    redis.info = () => {
      isSilent = true;
      redis.ping = silent;
      return silent();
    };
    const stores = watchStores({ mongodb: MONGODB, redis }, createStoreMetrics(createRegistry()));
    await eventually('Redis counted as down', () => isSilent && stores.health().redis === 'down');
    stores.close();
    redis.disconnect();
  });
});

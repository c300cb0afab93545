import { Redis } from 'ioredis';
import { WINDOWS } from '../../../engine/contract/index.ts';
import { WINDOW_COUNT } from '../../../engine/ranking/core/board/index.ts';
import type { BenchContext } from '../frame/bench.ts';
import type { ChangedOperator } from './board-stream.ts';

/** Members per command of the load. */
const COMMAND_MEMBERS = 2_000;
/** Concurrent commands of the load. */
const MAX_CONCURRENT_COMMANDS = 16;

/** The peer: one sorted set per window, with operator numbers as members and Yields as scores. */
export async function openRedisStream(context: BenchContext, redisUrl: string) {
  const redis = new Redis(redisUrl);
  context.onClose(async () => redis.disconnect());
  const keys = WINDOWS.map((window) => `bench:sorted-set:${window}`);
  const info = await redis.info();
  const infoField = (name: string): string => new RegExp(`^${name}:(.*)\\r?$`, 'm').exec(info)?.[1]?.trim() ?? '';
  const server = `${infoField('server_name') || 'redis'} ${infoField('valkey_version') || infoField('redis_version')}`;
  return {
    /** The server's name and version, from INFO. */
    server: /wasm|emscripten/i.test(`${infoField('os')} ${infoField('arch_bits')}`)
      ? `${server} (WebAssembly)`
      : server,
    load: (yields: Float64Array) => load(redis, keys, yields),
    /** Adds the changes, one command per window, and returns the all-time ranks, from 1, in one pipeline. */
    async addAndRank(changed: readonly ChangedOperator[]): Promise<readonly number[]> {
      const pipeline = redis.pipeline();
      for (const [window, key] of keys.entries()) {
        pipeline.zadd(key, ...changed.flatMap(({ operator, yields }) => [yields[window]!, String(operator)]));
      }
      for (const { operator } of changed) pipeline.zrevrank(keys[0]!, String(operator));
      const replies = (await pipeline.exec()) ?? [];
      return replies.slice(keys.length).map(([error, rank]) => {
        if (error !== null) throw error;
        return Number(rank) + 1;
      });
    },
    async memoryBytes(): Promise<number> {
      return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1] ?? Number.NaN);
    },
  };
}

async function load(redis: Redis, keys: readonly string[], yields: Float64Array): Promise<void> {
  const pending: Promise<unknown>[] = [];
  const slots = yields.length / WINDOW_COUNT;
  for (const [window, key] of keys.entries()) {
    for (let first = 0; first < slots; first += COMMAND_MEMBERS) {
      const members: (string | number)[] = [];
      for (let slot = first; slot < Math.min(slots, first + COMMAND_MEMBERS); slot++) {
        const y = yields[slot * WINDOW_COUNT + window]!;
        if (!Number.isNaN(y)) members.push(y, String(slot));
      }
      if (members.length > 0) pending.push(redis.zadd(key, ...members));
      if (pending.length === MAX_CONCURRENT_COMMANDS) await pending.shift();
    }
  }
  await Promise.all(pending);
}

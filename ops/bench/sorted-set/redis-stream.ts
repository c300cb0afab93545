import { Redis } from 'ioredis';
import { WINDOWS } from '../../../engine/contract/index.ts';
import { WINDOW_COUNT } from '../../../engine/ranking/core/board/index.ts';
import type { BenchContext } from '../bench.ts';
import type { ChangedOperator } from './board-stream.ts';

/** Members that one command of the load adds. */
const MEMBERS_A_COMMAND = 2_000;
/** Commands of the load that are under way at once. */
const COMMANDS_AT_ONCE = 16;

/** The peer: one sorted set a window, members by operator number, Yields as scores. */
export interface RedisStream {
  /** The program behind the address, as it tells of itself. */
  readonly server: string;
  load(yields: Float64Array): Promise<void>;
  /** Adds the changes, one command a window, and asks for the ranks of all time, from 1; all of it goes out at once. */
  addAndRank(changed: readonly ChangedOperator[]): Promise<readonly number[]>;
  memoryBytes(): Promise<number>;
}

export async function openRedisStream(context: BenchContext, redisUrl: string): Promise<RedisStream> {
  const redis = new Redis(redisUrl);
  context.onClose(async () => redis.disconnect());
  const keys = WINDOWS.map((window) => `bench:sorted-set:${window}`);
  const info = await redis.info();
  const population = (name: string): string => new RegExp(`^${name}:(.*)\\r?$`, 'm').exec(info)?.[1]?.trim() ?? '';
  const server = `${population('server_name') || 'redis'} ${population('valkey_version') || population('redis_version')}`;
  return {
    server: /wasm|emscripten/i.test(`${population('os')} ${population('arch_bits')}`)
      ? `${server} (WebAssembly)`
      : server,
    load: (yields) => load(redis, keys, yields),
    async addAndRank(changed) {
      const pipeline = redis.pipeline();
      for (const [window, key] of keys.entries()) {
        pipeline.zadd(key, ...changed.flatMap(({ operator, yields }) => [yields[window]!, String(operator)]));
      }
      for (const { operator } of changed) pipeline.zrevrank(keys[0]!, String(operator));
      const answers = (await pipeline.exec()) ?? [];
      return answers.slice(keys.length).map(([error, rank]) => {
        if (error !== null) throw error;
        return Number(rank) + 1;
      });
    },
    async memoryBytes() {
      return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1] ?? Number.NaN);
    },
  };
}

async function load(redis: Redis, keys: readonly string[], yields: Float64Array): Promise<void> {
  const underWay: Promise<unknown>[] = [];
  const slots = yields.length / WINDOW_COUNT;
  for (const [window, key] of keys.entries()) {
    for (let first = 0; first < slots; first += MEMBERS_A_COMMAND) {
      const members: (string | number)[] = [];
      for (let slot = first; slot < Math.min(slots, first + MEMBERS_A_COMMAND); slot++) {
        const y = yields[slot * WINDOW_COUNT + window]!;
        if (!Number.isNaN(y)) members.push(y, String(slot));
      }
      if (members.length > 0) underWay.push(redis.zadd(key, ...members));
      if (underWay.length === COMMANDS_AT_ONCE) await underWay.shift();
    }
  }
  await Promise.all(underWay);
}

import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { processEnvironment } from '../../config/env.ts';
import { chooseMongo } from '../../ops/local/mongo/choose-mongo.ts';
import type { Engine } from '../../ops/local/process/engine.ts';
import { type ChildSpec, launch, type RunningChild } from '../../ops/local/process/launch.ts';
import { chooseRedis } from '../../ops/local/redis/choose-redis.ts';
import { KEY_PREFIX } from '../../ops/runtime/queues/index.ts';
import { childProgram } from '../support/child-programs.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import type { FreshDatabase } from '../support/engines.ts';

/** Shared with `npm start`: cached copies of the database binaries. */
const CACHE_DIR = fileURLToPath(new URL('../../node_modules/.cache/upsilon', import.meta.url));

/** A process that can be killed at any time and started again with the same configuration. */
export interface KillableProcess {
  readonly name: string;
  pid(): number;
  /** Whether it runs: it may also have exited by itself. */
  alive(): boolean;
  /** Kills it with SIGKILL and waits for its exit. */
  kill(): Promise<void>;
  /** Starts it again; resolves when it is ready. */
  start(): Promise<void>;
  /** Stops it gracefully. */
  stop(): Promise<void>;
}

/** Starts a killable process. `onFall` receives the reason of an unexpected exit. */
export async function startKillable(
  spec: ChildSpec,
  onFall: (reason: string) => void = () => {},
): Promise<KillableProcess> {
  let child: RunningChild = await launch(spec);
  let alive = true;
  const watch = async (watched: RunningChild): Promise<void> => {
    const { reason } = await watched.exited;
    if (!alive || child !== watched) return;
    alive = false;
    onFall(reason);
  };
  void watch(child);
  /** An external server runs under a guard, which exits with it. */
  const pid = (): number => (typeof child.details['server'] === 'number' ? child.details['server'] : child.pid);
  return {
    name: spec.name,
    pid,
    alive: () => alive,
    async kill() {
      if (!alive) return;
      alive = false;
      process.kill(pid(), 'SIGKILL');
      await child.exited;
    },
    async start() {
      child = await launch(spec);
      alive = true;
      void watch(child);
    },
    async stop() {
      if (alive) await child.stop();
      alive = false;
    },
  };
}

/** Databases for one test, of the kinds that `npm start` uses. */
export interface OwnEngines {
  readonly database: FreshDatabase;
  readonly mongo: KillableProcess;
  /** Always starts empty. */
  readonly redis: KillableProcess;
  /** Whether Redis persists a file, whose space can be limited; otherwise its memory is limited. */
  readonly redisKeepsFile: boolean;
  close(): Promise<void>;
}

/** With the data in `folder`, or in one of their own. */
export async function startOwnEngines(folder?: string): Promise<OwnEngines> {
  const dataDir = folder ?? (await makeDataFolder('upsilon-faults-'));
  await mkdir(CACHE_DIR, { recursive: true });
  const site = { dataDir, cacheDir: CACHE_DIR, environment: processEnvironment() };
  const [mongoEngine, redisEngine] = await Promise.all([chooseMongo(site), chooseRedis(site)]);
  const [mongo, kept] = await Promise.all([
    startKillable(await compiled(mongoEngine, 'embeddedMongo')),
    startKillable(await compiled(redisEngine, 'embeddedRedis')),
  ]);
  const redis = {
    ...kept,
    async start() {
      await kept.start();
      await flushAll(redisEngine.url);
    },
  };
  return {
    database: { mongoUrl: mongoEngine.url, databaseName: 'upsilon', redisUrl: redisEngine.url, prefix: KEY_PREFIX },
    mongo,
    redis,
    redisKeepsFile: !redisEngine.embedded,
    async close() {
      await Promise.all([mongo.stop(), redis.stop()]);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** An embedded engine as a compiled program, because some tests start it many times. */
async function compiled({ embedded, child }: Engine, program: 'embeddedMongo' | 'embeddedRedis'): Promise<ChildSpec> {
  return embedded ? { ...child, entry: await childProgram(program) } : child;
}

/** Empties the Redis of a test. */
export async function flushAll(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.flushall();
  redis.disconnect();
}

import { mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { processEnvironment } from '../../config/env.ts';
import { chooseMongo } from '../../ops/local/mongo/choose-mongo.ts';
import { type ChildSpec, launch, type RunningChild } from '../../ops/local/process/launch.ts';
import { chooseRedis } from '../../ops/local/redis/choose-redis.ts';
import { KEY_PREFIX } from '../../workers/index.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import type { FreshDatabase } from '../support/engines.ts';

/** Shared with `npm start`: copies of the engine's files that are made once. */
const CACHE_DIR = fileURLToPath(new URL('../../node_modules/.cache/upsilon', import.meta.url));

/** A process that may be killed at any moment and started again as it was. */
export interface Mortal {
  readonly name: string;
  pid(): number;
  /** Whether it runs: it may also have ended by itself. */
  alive(): boolean;
  /** Kills it (−9) and waits until it is gone. */
  kill(): Promise<void>;
  /** Starts it again; resolves when it is ready. */
  start(): Promise<void>;
  /** Asks it to end. */
  stop(): Promise<void>;
}

/** Starts a process that may be killed. `onFall` hears of an end that nobody asked for. */
export async function startMortal(spec: ChildSpec, onFall: (reason: string) => void = () => {}): Promise<Mortal> {
  let child: RunningChild = await launch(spec);
  let alive = true;
  const watch = async (watched: RunningChild): Promise<void> => {
    const { reason } = await watched.exited;
    if (!alive || child !== watched) return;
    alive = false;
    onFall(reason);
  };
  void watch(child);
  /** A foreign server runs under a guard, which ends with it. */
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

/** Engines of a test's own, of the kinds that `npm start` would run. */
export interface OwnEngines {
  readonly database: FreshDatabase;
  readonly mongo: Mortal;
  /** Starts empty, always. */
  readonly redis: Mortal;
  /** Whether Redis keeps a file, which may run out of space; otherwise it is its memory that may. */
  readonly redisKeepsFile: boolean;
  close(): Promise<void>;
}

export async function startOwnEngines(): Promise<OwnEngines> {
  const dataDir = await makeDataFolder('upsilon-faults-');
  await mkdir(CACHE_DIR, { recursive: true });
  const site = { dataDir, cacheDir: CACHE_DIR, environment: processEnvironment() };
  const [mongoEngine, redisEngine] = await Promise.all([chooseMongo(site), chooseRedis(site)]);
  const [mongo, kept] = await Promise.all([startMortal(mongoEngine.child), startMortal(redisEngine.child)]);
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

/** Empties a Redis of the test's own. */
export async function flushAll(url: string): Promise<void> {
  const redis = new Redis(url);
  await redis.flushall();
  redis.disconnect();
}

import { constants, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { redactUrl } from '../../config/redact-url.ts';
import { isAccessible } from './find-on-path.ts';
import { chooseMongo } from './mongo/choose-mongo.ts';
import type { Engine, EngineSite } from './process/engine.ts';
import { type Supervised, type SupervisionEvents, supervise } from './process/supervise.ts';
import { chooseRedis } from './redis/choose-redis.ts';

/** In node_modules, so that copies are shared by all data folders and removed with the packages. */
const SHARED_CACHE_PARENT = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** A database in use. `url` may contain credentials. */
export interface EngineInUse extends Omit<Engine, 'child'> {
  /** The started process; null for a server that was already running. */
  readonly process: Supervised | null;
}

export type EnginesInUse = Awaited<ReturnType<typeof startEngines>>;

export interface EngineChoice {
  /** An engine is started only when its address is undefined. */
  readonly mongoUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly dataDir: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts the databases without an address; they end with this process. @throws Error, for people; the other is stopped first. */
export async function startEngines(choice: EngineChoice, events: SupervisionEvents) {
  const site = await siteOf(choice);
  const starting = [
    choice.mongoUrl === undefined
      ? chooseMongo(site).then((engine) => run(engine, events))
      : given('MongoDB', choice.mongoUrl),
    choice.redisUrl === undefined
      ? chooseRedis(site).then((engine) => run(engine, events))
      : given('Redis', choice.redisUrl),
  ] as const;
  const stop = async () => {
    const started = await Promise.allSettled(starting);
    const processes = started.flatMap((result) => (result.status === 'fulfilled' ? (result.value.process ?? []) : []));
    await Promise.all(processes.map((process) => process.stop()));
  };
  try {
    const [mongo, redis] = await Promise.all(starting);
    return {
      mongo,
      redis,
      /** Stops the engines that were started here. */
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function run(engine: Engine, events: SupervisionEvents): Promise<EngineInUse> {
  const { child, ...description } = engine;
  return { ...description, process: await supervise(child, events) };
}

async function given(name: string, url: string): Promise<EngineInUse> {
  return {
    title: `${name} at ${redactUrl(url)}`,
    embedded: false,
    persistence: 'as that server is configured',
    url,
    process: null,
  };
}

async function siteOf(choice: EngineChoice): Promise<EngineSite> {
  const { dataDir, environment } = choice;
  const isShared = await isAccessible(SHARED_CACHE_PARENT, constants.W_OK);
  const cacheDir = isShared ? join(SHARED_CACHE_PARENT, '.cache', 'upsilon') : join(dataDir, 'cache');
  if (choice.mongoUrl === undefined) await mkdir(cacheDir, { recursive: true });
  return { dataDir, cacheDir, environment };
}

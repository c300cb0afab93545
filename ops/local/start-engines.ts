import { access, constants, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { redactUrl } from '../../config/redact-url.ts';
import type { Engine, EngineSite } from './engine.ts';
import { chooseMongo } from './mongo/choose-mongo.ts';
import { type Supervised, type SupervisionEvents, supervise } from './process/supervise.ts';
import { chooseRedis } from './redis/choose-redis.ts';

/** Next to the packages, so that copies are made once a machine and go when the packages go. */
const SHARED_CACHE_PARENT = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** A database in use. */
export interface EngineInUse {
  /** For people; names no credentials. */
  readonly title: string;
  readonly embedded: boolean;
  readonly keeps: string;
  /** May carry credentials. */
  readonly url: string;
  /** The process that was started for it; null when it is somebody else's. */
  readonly process: Supervised | null;
}

/** The databases, and the way to end those that were started here. */
export interface EnginesInUse {
  readonly mongo: EngineInUse;
  readonly redis: EngineInUse;
  /** Ends the started engines; no others. */
  stop(): Promise<void>;
}

export interface EngineChoice {
  /** An address that is set is used, and nothing is started in its stead. */
  readonly mongoUrl: string | undefined;
  readonly redisUrl: string | undefined;
  readonly dataDir: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Gets both databases, starting those whose address is not set. The started ones end with this process.
 *
 * @throws Error in words for people when one cannot be started; nothing is left running then.
 */
export async function startEngines(choice: EngineChoice, events: SupervisionEvents): Promise<EnginesInUse> {
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
    return { mongo, redis, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function run(engine: Engine, events: SupervisionEvents): Promise<EngineInUse> {
  const { title, embedded, keeps, url, child } = engine;
  return { title, embedded, keeps, url, process: await supervise(child, events) };
}

async function given(name: string, url: string): Promise<EngineInUse> {
  return {
    title: `${name} at ${redactUrl(url)}`,
    embedded: false,
    keeps: 'as that server is set up',
    url,
    process: null,
  };
}

async function siteOf(choice: EngineChoice): Promise<EngineSite> {
  const { dataDir, environment } = choice;
  const shared = await access(SHARED_CACHE_PARENT, constants.W_OK).then(
    () => true,
    () => false,
  );
  const cacheDir = shared ? join(SHARED_CACHE_PARENT, '.cache', 'upsilon') : join(dataDir, 'cache');
  if (choice.mongoUrl === undefined) await mkdir(cacheDir, { recursive: true });
  return { dataDir, cacheDir, environment };
}

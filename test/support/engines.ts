import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processEnvironment } from '../../config/env.ts';
import { type EnginesInUse, startEngines } from '../../ops/local/start-engines.ts';

/** One MongoDB and one Redis, shared by the whole test run; the same engines that `npm start` would run. */
export interface TestEngines {
  /** The address of one database of the shared MongoDB. */
  readonly mongoUrl: (databaseName: string) => string;
  readonly redisUrl: string;
}

/** What a suite needs to be alone on the shared engines. */
export interface FreshDatabase {
  /** Names the database, too. */
  readonly mongoUrl: string;
  readonly databaseName: string;
  readonly redisUrl: string;
  /** For BullMQ and other Redis keys. */
  readonly prefix: string;
}

interface Running {
  readonly engines: EnginesInUse;
  readonly dataDir: string;
}

/** Variables that name the run's engines to the processes that tests are spread over. */
const SHARED = { mongo: 'TEST_RUN_MONGODB_URL', redis: 'TEST_RUN_REDIS_URL' } as const;

let running: Promise<Running> | null = null;

/** Starts the run's engines in this process, for the processes that it starts later. */
export async function shareTestEngines(): Promise<void> {
  running ??= start();
  const { engines } = await running;
  process.env[SHARED.mongo] = engines.mongo.url;
  process.env[SHARED.redis] = engines.redis.url;
}

/** Gets the run's engines, starting them on first use; `MONGODB_URL` and `REDIS_URL` are used when they are set. */
export async function testEngines(): Promise<TestEngines> {
  const environment = processEnvironment();
  const shared = { mongo: environment[SHARED.mongo], redis: environment[SHARED.redis] };
  if (shared.mongo !== undefined && shared.redis !== undefined) return addressed(shared.mongo, shared.redis);
  running ??= start();
  const { engines } = await running;
  return addressed(engines.mongo.url, engines.redis.url);
}

function addressed(mongoUrl: string, redisUrl: string): TestEngines {
  return { mongoUrl: (databaseName) => withDatabase(mongoUrl, databaseName), redisUrl };
}

/** A database and a key prefix that nothing else uses. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const { mongoUrl, redisUrl } = await testEngines();
  const name = `test-${randomBytes(6).toString('hex')}`;
  return { mongoUrl: mongoUrl(name), databaseName: name, redisUrl, prefix: name };
}

/** Ends the run's engines, if any were started, and removes their data. */
export async function stopTestEngines(): Promise<void> {
  const stopping = running;
  running = null;
  if (stopping === null) return;
  const { engines, dataDir } = await stopping;
  await engines.stop();
  await rm(dataDir, { recursive: true, force: true });
}

function complain(name: string, reason: string): void {
  process.stderr.write(`${name} of the test run ${reason}\n`);
}

async function start(): Promise<Running> {
  const environment = processEnvironment();
  const dataDir = await mkdtemp(join(tmpdir(), 'upsilon-test-'));
  const engines = await startEngines(
    { mongoUrl: environment['MONGODB_URL'], redisUrl: environment['REDIS_URL'], dataDir, environment },
    { ended: complain, restarted: () => {}, gaveUp: complain },
  );
  return { engines, dataDir };
}

function withDatabase(url: string, databaseName: string): string {
  const parts = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/.exec(url);
  if (parts === null) throw new Error('no MongoDB address');
  return `${parts[1]}/${databaseName}${parts[2] ?? ''}`;
}

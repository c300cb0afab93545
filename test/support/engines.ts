import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { processEnvironment } from '../../config/env.ts';
import { type Connection, databaseOf, openMongo } from '../../engine/mongo/index.ts';
import { type EnginesInUse, startEngines } from '../../ops/local/start-engines.ts';
import { makeDataFolder } from './data-folder.ts';
import { useFixture } from './use-fixture.ts';

/** One MongoDB and one Redis, shared by the tests of a process; the same engines that `npm start` would run. */
export interface TestEngines {
  /** The address of one database of the shared MongoDB. */
  readonly mongoUrl: (databaseName: string) => string;
  readonly redisUrl: string;
}

/** A separate database and key prefix on the shared engines. */
export interface FreshDatabase {
  /** URL including the database. */
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

/** Variables that name engines, separated by spaces, to the processes that tests are spread over. */
const SHARED = { mongo: 'TEST_RUN_MONGODB_URLS', redis: 'TEST_RUN_REDIS_URLS' } as const;
/** Mocha's number of the process, from 0. */
const WORKER = 'MOCHA_WORKER_ID';

const running: Promise<Running>[] = [];
/** Names of returned databases. */
const emptied: string[] = [];

/**
 * Starts engines in this process for each of the processes that it starts later. One MongoDB for all of them ended by
 * SIGABRT in one of three runs: the embedded one is an early version.
 */
export async function shareTestEngines(processes: number): Promise<void> {
  while (running.length < processes) running.push(start());
  const started = await Promise.all(running);
  process.env[SHARED.mongo] = started.map(({ engines }) => engines.mongo.url).join(' ');
  process.env[SHARED.redis] = started.map(({ engines }) => engines.redis.url).join(' ');
}

/** Gets this process's engines, starting them on first use; `MONGODB_URL` and `REDIS_URL` are used when they are set. */
export async function testEngines(): Promise<TestEngines> {
  const environment = processEnvironment();
  const mine = (urls: string | undefined): string | undefined => {
    const all = urls?.split(' ') ?? [];
    return all[Number(environment[WORKER] ?? 0) % all.length];
  };
  const shared = { mongo: mine(environment[SHARED.mongo]), redis: mine(environment[SHARED.redis]) };
  if (shared.mongo !== undefined && shared.redis !== undefined) return addressed(shared.mongo, shared.redis);
  if (running.length === 0) running.push(start());
  const { engines } = await running[0]!;
  return addressed(engines.mongo.url, engines.redis.url);
}

function addressed(mongoUrl: string, redisUrl: string): TestEngines {
  return { mongoUrl: (databaseName) => withDatabase(mongoUrl, databaseName), redisUrl };
}

/** A new database and key prefix. */
export async function freshDatabase(databaseName = randomName()): Promise<FreshDatabase> {
  const { mongoUrl, redisUrl } = await testEngines();
  return { mongoUrl: mongoUrl(databaseName), databaseName, redisUrl, prefix: randomName() };
}

/** An empty database, whose collections and indexes may exist: to create them takes most of a small test's time. */
export function emptyDatabase(): Promise<FreshDatabase> {
  return freshDatabase(emptied.shift());
}

/** Empties a database of this process's engines for a later test. Everything that writes to it has ended. */
export async function returnDatabase(connection: Connection): Promise<void> {
  const db = databaseOf(connection);
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  await Promise.all(collections.map(({ name }) => db.collection(name).deleteMany({})));
  emptied.push(connection.name);
}

/** A new database with a connection to it, which is dropped when it is closed. */
export interface OpenDatabase extends FreshDatabase {
  readonly connection: Connection;
  close(): Promise<void>;
}

export async function openDatabase(): Promise<OpenDatabase> {
  const database = await freshDatabase();
  const connection = await openMongo(database.mongoUrl);
  const close = async (): Promise<void> => {
    await connection.dropDatabase();
    await connection.close();
  };
  return { ...database, connection, close };
}

/** A connection to the separate database of a suite, which is dropped behind it. */
export function useConnection(): () => Connection {
  const database = useFixture(openDatabase);
  return () => database().connection;
}

function randomName(): string {
  return `test-${randomBytes(6).toString('hex')}`;
}

/** Stops the engines that this process started, if any, and removes their data. */
export async function stopTestEngines(): Promise<void> {
  if (running.length > 0) emptied.length = 0;
  await Promise.all(
    running.splice(0).map(async (starting) => {
      const { engines, dataDir } = await starting;
      await engines.stop();
      await rm(dataDir, { recursive: true, force: true });
    }),
  );
}

function logThrottled(name: string, reason: string): void {
  process.stderr.write(`${name} of the test run ${reason}\n`);
}

async function start(): Promise<Running> {
  const environment = processEnvironment();
  const dataDir = await makeDataFolder('upsilon-test-');
  const engines = await startEngines(
    { mongoUrl: environment['MONGODB_URL'], redisUrl: environment['REDIS_URL'], dataDir, environment },
    { ended: logThrottled, restarted: () => {}, gaveUp: logThrottled },
  );
  return { engines, dataDir };
}

function withDatabase(url: string, databaseName: string): string {
  const parts = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/.exec(url);
  if (parts === null) throw new Error('no MongoDB address');
  return `${parts[1]}/${databaseName}${parts[2] ?? ''}`;
}

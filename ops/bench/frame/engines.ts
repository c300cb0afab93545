import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { processEnvironment } from '../../../config/env.ts';
import { startEngines } from '../../local/start-engines.ts';

/** The databases of a bench. */
export type BenchEngines = Awaited<ReturnType<typeof startBenchEngines>>;

/** Starts the engines that are not configured, and stops them with the bench. */
export async function startBenchEngines(dataDir: string, onClose: (close: () => Promise<unknown>) => void) {
  const environment = processEnvironment();
  const engineDir = join(dataDir, 'engines');
  await mkdir(engineDir, { recursive: true });
  const engines = await startEngines(
    { mongoUrl: environment['MONGODB_URL'], redisUrl: environment['REDIS_URL'], dataDir: engineDir, environment },
    { ended: printEvent, restarted: () => undefined, gaveUp: printEvent },
  );
  onClose(() => engines.stop());
  const mongo = engines.mongo.process?.pid();
  const redis = engines.redis.process?.pid();
  return {
    /** URL of a new database. */
    mongoUrl: withDatabase(engines.mongo.url, `bench-${randomBytes(6).toString('hex')}`),
    redisUrl: engines.redis.url,
    /** Process ids of the engines that were started for the bench; absent for configured ones. */
    pids: { ...(mongo === undefined ? {} : { mongo }), ...(redis === undefined ? {} : { redis }) },
  };
}

function printEvent(name: string, reason: string): void {
  process.stderr.write(`${name} ${reason}\n`);
}

function withDatabase(address: string, name: string): string {
  const url = new URL(address);
  url.pathname = `/${name}`;
  return url.href;
}

import { execFileSync } from 'node:child_process';
import { Redis } from 'ioredis';
import { processEnvironment } from '../../config/env.ts';
import { findOnPath } from '../../ops/local/find-on-path.ts';
import type { KillableProcess } from './own-engines.ts';
import type { ServiceUnderFire } from './service-under-fire.ts';

/** From util-linux: changes a limit of a running process. */
const LIMITER = 'prlimit';

/** Whether this machine can limit the files of a running process. */
export async function canLackSpace(): Promise<boolean> {
  return (await findOnPath([LIMITER], processEnvironment()['PATH'] ?? '')) !== null;
}

/** Resolves when the limit ends. */
type Lasts = () => Promise<unknown>;

/**
 * Limits the files of MongoDB to `bytes` for the duration of `lasts`. A write beyond the limit fails, and the server exits, as
 * it does on a full disk; it is restarted afterwards.
 */
export async function mongoLacksSpace(service: ServiceUnderFire, bytes: number, lasts: Lasts): Promise<void> {
  const { mongo } = service.engines;
  await fileLimited(mongo, bytes, lasts);
  const { restarted } = await service.kill(mongo);
  await restarted;
}

/** Limits the file of Redis if it persists one, else its memory. It refuses writes, or exits. */
export async function redisLacksSpace(service: ServiceUnderFire, bytes: number, lasts: Lasts): Promise<void> {
  const { redis, redisKeepsFile, database } = service.engines;
  if (!redisKeepsFile) return memoryLimited(database.redisUrl, lasts);
  await fileLimited(redis, bytes, lasts);
  if (!redis.alive()) await (await service.kill(redis)).restarted;
}

async function fileLimited(victim: KillableProcess, bytes: number, lasts: Lasts): Promise<void> {
  const pid = victim.pid();
  limitFiles(pid, String(bytes));
  await lasts().finally(() => limitFiles(pid, 'unlimited'));
}

/** Changes only the soft limit: raising a hard limit requires privileges. */
function limitFiles(pid: number, bytes: string): void {
  try {
    execFileSync(LIMITER, ['--pid', String(pid), `--fsize=${bytes}:`], { stdio: 'ignore' });
  } catch {
    // It has already exited: because of a failed write, or another fault.
  }
}

/** Waits for a frozen or restarting Redis, so that the limit is always removed. */
async function memoryLimited(url: string, lasts: Lasts): Promise<void> {
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  try {
    const config = await redis.config('GET', 'maxmemory');
    const before = Array.isArray(config) ? String(config[1]) : '0';
    await redis.config('SET', 'maxmemory', '1');
    await lasts();
    await redis.config('SET', 'maxmemory', before);
  } finally {
    redis.disconnect();
  }
}

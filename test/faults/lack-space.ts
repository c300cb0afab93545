import { execFileSync } from 'node:child_process';
import { Redis } from 'ioredis';
import { processEnvironment } from '../../config/env.ts';
import { findOnPath } from '../../ops/local/find-on-path.ts';
import type { Mortal } from './own-engines.ts';
import type { ServiceUnderFire } from './service-under-fire.ts';

/** Of util-linux: changes a limit of a process that runs. */
const LIMITER = 'prlimit';

/** Whether this machine lets the files of a running process be limited. */
export async function canLackSpace(): Promise<boolean> {
  return (await findOnPath([LIMITER], processEnvironment()['PATH'] ?? '')) !== null;
}

/** Resolves when the space is there again. */
type Lasts = () => Promise<unknown>;

/**
 * Leaves MongoDB no space beyond so many bytes a file, as long as `lasts`. A write that does not fit fails, and the server ends
 * over it, as it does on a full disk; it is started again once there is space.
 */
export async function mongoLacksSpace(service: ServiceUnderFire, bytes: number, lasts: Lasts): Promise<void> {
  const { mongo } = service.engines;
  await fileLimited(mongo, bytes, lasts);
  const { restarted } = await service.kill(mongo);
  await restarted;
}

/** The same of Redis: of its file if it keeps one, else of its memory. It refuses writes, or ends. */
export async function redisLacksSpace(service: ServiceUnderFire, bytes: number, lasts: Lasts): Promise<void> {
  const { redis, redisKeepsFile, database } = service.engines;
  if (!redisKeepsFile) return memoryLimited(database.redisUrl, lasts);
  await fileLimited(redis, bytes, lasts);
  if (!redis.alive()) await (await service.kill(redis)).restarted;
}

/** Limits the files of a process, in bytes. */
async function fileLimited(victim: Mortal, bytes: number, lasts: Lasts): Promise<void> {
  const pid = victim.pid();
  limitFiles(pid, String(bytes));
  await lasts().finally(() => limitFiles(pid, 'unlimited'));
}

/** Only the soft limit changes: without more rights a hard one could not be raised again. */
function limitFiles(pid: number, bytes: string): void {
  try {
    execFileSync(LIMITER, ['--pid', String(pid), `--fsize=${bytes}:`], { stdio: 'ignore' });
  } catch {
    // It has ended already: over a write that failed, or by a fault of its own.
  }
}

/** Waits for a Redis that is frozen, or being started again, so that none keeps the limit. */
async function memoryLimited(url: string, lasts: Lasts): Promise<void> {
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  try {
    const answer = await redis.config('GET', 'maxmemory');
    const before = Array.isArray(answer) ? String(answer[1]) : '0';
    await redis.config('SET', 'maxmemory', '1');
    await lasts();
    await redis.config('SET', 'maxmemory', before);
  } finally {
    redis.disconnect();
  }
}

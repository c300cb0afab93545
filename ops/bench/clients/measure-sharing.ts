import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type BenchContext, type Figure, figure } from '../frame/bench.ts';
import type { BenchProcess } from '../frame/service/start-service.ts';
import { median, timed } from '../frame/statistics.ts';
import { measureServer, type ReadClient } from '../reads/compare-with-bare.ts';
import { FAR_FROM_QUOTA, LEADERBOARD } from './client-groups.ts';

const AT_MOST = { commands: 100, kibibytes: 100 } as const;

/** Longer than a round: counts are shared every second or so. */
const LONGER = 20;
const LOAD_MS = 1_000;

/** Time until the counts of earlier requests are shared, and the processes know of each other. */
const SETTLE_MS = 3_000;

/**
 * Redis commands and bytes of several apis, which share their counts, without requests and while many clients, none near its
 * quota, read from them in turns at full speed.
 */
export async function measureSharing(
  context: BenchContext,
  client: ReadClient,
  apis: readonly BenchProcess[],
  seconds: number,
): Promise<readonly Figure[]> {
  const redis = new Redis((await context.engines()).redisUrl);
  const durationMs = seconds * LONGER * 1_000;
  try {
    await pause(SETTLE_MS);
    const idle = await redisUse(redis, () => pause(durationMs));
    const loadMs = Math.min(LOAD_MS, durationMs);
    const loads = Math.ceil(durationMs / loadMs);
    const rates: number[] = [];
    const busy = await redisUse(redis, async () => {
      for (let load = 0; load < loads; load += 1) {
        const request = { path: LEADERBOARD, clients: FAR_FROM_QUOTA };
        const { rate } = await measureServer(client, apis[load % apis.length]!, request, loadMs);
        rates.push(rate);
      }
    });
    context.table(`Redis a second, ${apis.length} api processes`, [
      ['clients', 'requests/s', 'commands', 'KiB'],
      ['none', '0', idle.commands.toFixed(1), idle.kibibytes.toFixed(1)],
      ['100,000', median(rates).toFixed(0), busy.commands.toFixed(1), busy.kibibytes.toFixed(1)],
    ]);
    return [
      figure(
        'Redis commands by 100,000 clients far from their quotas',
        busy.commands,
        'commands a second',
        null,
        'a limit',
        { atMost: AT_MOST.commands },
      ),
      figure('Redis traffic of it', busy.kibibytes, 'KiB a second', null, 'a limit', { atMost: AT_MOST.kibibytes }),
    ];
  } finally {
    redis.disconnect();
  }
}

/** What Redis did a second while `run` ran. */
async function redisUse(redis: Redis, run: () => Promise<unknown>) {
  const read = async () => {
    const info = await redis.info('stats');
    const field = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? Number.NaN);
    return {
      commands: field('total_commands_processed'),
      bytes: field('total_net_input_bytes') + field('total_net_output_bytes'),
    };
  };
  const before = await read();
  const { ms } = await timed(run);
  const after = await read();
  const seconds = ms / 1_000;
  return {
    commands: (after.commands - before.commands) / seconds,
    kibibytes: (after.bytes - before.bytes) / 1_024 / seconds,
  };
}

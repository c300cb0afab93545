import type { Queue } from 'bullmq';
import { loadConfig } from '../../../config/config.ts';
import { redactUrl } from '../../../config/redact-url.ts';
import { QUEUE_NAMES } from '../../../workers/catalog.ts';
import { openQueues } from '../../../workers/open-queues.ts';
import { type RedisClient, reachRedis } from '../../../workers/open-redis.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { findService, requireAddress } from '../find-service.ts';

/** How long a command waits for Redis to answer, in milliseconds. */
const ANSWER_WITHIN_MS = 3_000;

/**
 * Opens every queue for one command, and closes them after it.
 *
 * @throws CommandError when Redis cannot be found or does not answer; SettingsError when the settings cannot be used.
 */
export async function withQueues(
  context: CommandContext,
  use: (queues: readonly Queue[]) => Promise<void>,
): Promise<void> {
  const { redisUrl } = await findService(loadConfig(context.environment));
  const redis = await openRedis(requireAddress(redisUrl, 'REDIS_URL'));
  try {
    // What goes wrong here also rejects the call that it goes wrong for.
    const queues = openQueues(redis, context.queuePrefix, () => undefined);
    await use(QUEUE_NAMES.map((name) => queues[name]));
    await queues.close();
  } finally {
    redis.disconnect();
  }
}

async function openRedis(url: string): Promise<RedisClient> {
  try {
    return await reachRedis(url, ANSWER_WITHIN_MS);
  } catch (error) {
    const next = 'Start the service with "npm start", or set REDIS_URL to a Redis that runs.';
    throw new CommandError(`Redis at ${redactUrl(url)} does not answer`, next, { cause: error });
  }
}

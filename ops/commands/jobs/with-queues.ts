import type { Queue } from 'bullmq';
import { loadConfig } from '../../../config/config.ts';
import { redactUrl } from '../../../config/redact-url.ts';
import { QUEUE_NAMES } from '../../runtime/queues/catalog.ts';
import { openQueues } from '../../runtime/queues/open-queues.ts';
import { type RedisClient, reachRedis } from '../../runtime/stores/open-redis.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { findService, requireAddress } from '../find-service.ts';

/** How long a command waits for Redis to respond, in milliseconds. */
const RESPONSE_TIMEOUT_MS = 3_000;

/**
 * Opens every queue for one command, and closes them after it.
 *
 * @throws CommandError when Redis is not configured or does not respond; SettingsError when the settings are invalid.
 */
export async function withQueues(
  context: CommandContext,
  use: (queues: readonly Queue[]) => Promise<void>,
): Promise<void> {
  const { redisUrl } = await findService(loadConfig(context.environment));
  const redis = await openRedis(requireAddress(redisUrl, 'REDIS_URL'));
  try {
    // The error handler ignores errors: each also rejects the call that it belongs to.
    const queues = openQueues(redis, context.queuePrefix, () => undefined);
    await use(QUEUE_NAMES.map((name) => queues[name]));
    await queues.close();
  } finally {
    redis.disconnect();
  }
}

async function openRedis(url: string): Promise<RedisClient> {
  try {
    return await reachRedis(url, RESPONSE_TIMEOUT_MS);
  } catch (error) {
    const next = 'Start the service with "npm start", or set REDIS_URL to a running Redis.';
    throw new CommandError(`Redis at ${redactUrl(url)} does not respond`, next, { cause: error });
  }
}

import { openRedisOnce } from './open-redis.ts';

/** Pause before subscribing on the next server, in milliseconds. */
const RESUBSCRIBE_MS = 500;

export interface SubscriptionOptions {
  readonly redisUrl: string;
  readonly channel: string;
  readonly onMessage: (message: string) => void;
  readonly onError: (error: Error) => void;
}

/**
 * Subscribes to a channel until closed; messages published while Redis is unavailable are lost. Every node of a Redis Cluster
 * forwards all messages, so one node is used, and another when its connection ends. (The cluster client's own subscriber
 * reconnects without a pause while no node responds.)
 */
export function openSubscription(options: SubscriptionOptions): { close(): void } {
  const { redisUrl, channel, onMessage, onError } = options;
  let turn = 0;
  let timer: NodeJS.Timeout | undefined;
  let redis = listen();

  function listen(): ReturnType<typeof openRedisOnce> {
    const opened = openRedisOnce(redisUrl, turn++);
    opened.on('error', onError);
    opened.on('message', (_channel, message: string) => onMessage(message));
    opened.once('end', () => {
      timer = setTimeout(() => {
        redis = listen();
      }, RESUBSCRIBE_MS);
    });
    opened.subscribe(channel).catch((error: Error) => {
      onError(error);
      opened.disconnect();
    });
    return opened;
  }

  return {
    close() {
      clearTimeout(timer);
      redis.removeAllListeners('end');
      redis.disconnect();
    },
  };
}

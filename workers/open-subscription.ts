import { openRedisOnce } from './open-redis.ts';

/** Pause before the next server is listened to, in milliseconds. */
const LISTEN_AGAIN_MS = 500;

export interface SubscriptionOptions {
  readonly redisUrl: string;
  readonly channel: string;
  readonly onMessage: (message: string) => void;
  readonly onError: (error: Error) => void;
}

/**
 * Hears what is published on a channel until it is closed. What is said while Redis is away goes unheard. Every node of a
 * Redis Cluster passes on what any of them is told, so one is listened to, and another when it ends. (The cluster client's
 * own subscriber tries without a pause while no node answers.)
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
      }, LISTEN_AGAIN_MS);
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

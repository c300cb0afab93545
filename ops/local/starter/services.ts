import type { Config } from '../../../config/config.ts';
import { LIMITS } from '../../../config/limits.ts';
import { SERVICE_NODE_ARGS } from '../../bootstrap/service-node-args.mjs';
import type { ChildSpec } from '../process/launch.ts';
import type { EnginesInUse } from '../start-engines.ts';

/** Time limit for a service to become ready, in milliseconds. */
const SERVICE_READY_MS = 60_000;

/** Time beyond the service's shutdown deadline until its process is killed, in milliseconds. */
const STOP_GRACE_MS = 2_000;

/**
 * glibc's allocator keeps an arena for almost every thread, and memory that is freed in one arena is not used by another.
 * Two arenas save a tenth of the memory of an api over a large population.
 */
export const SERVICE_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' } as const;

/** Absolute paths of the service's programs. Each gets its role, `api` or `worker`, as an argument. */
export type ServiceEntries = Readonly<Record<'api' | 'worker', string>>;

/** The processes of the service: one api and the configured number of workers. */
export function serviceSpecs(
  config: Config,
  entries: ServiceEntries,
  engines: EnginesInUse,
  environment: Readonly<Record<string, string>>,
): ChildSpec[] {
  const env = {
    // A terminal shows only warnings and errors.
    LOG_LEVEL: 'warn',
    ...SERVICE_ENVIRONMENT,
    ...environment,
    DATA_DIR: config.dataDir,
    MONGODB_URL: engines.mongo.url,
    REDIS_URL: engines.redis.url,
  };
  const listening = ['0.0.0.0', '::'].includes(config.host) ? '127.0.0.1' : config.host;
  const host = listening.includes(':') ? `[${listening}]` : listening;
  const spec = (name: string, role: keyof ServiceEntries, port: number, own: Record<string, string>): ChildSpec => ({
    name,
    entry: entries[role],
    args: [role],
    nodeArgs: SERVICE_NODE_ARGS[role],
    liveUrl: `http://${host}:${port}/health/live`,
    env: { ...env, ...own },
    readyWithinMs: SERVICE_READY_MS,
    stopWithinMs: LIMITS.shutdown.processMs + STOP_GRACE_MS,
    output: 'through',
  });
  const workers = Array.from({ length: config.workers }, (_, index) =>
    spec(`worker ${index + 1}`, 'worker', config.metricsPort + index + 1, { WORKER_INDEX: String(index + 1) }),
  );
  return [spec('api', 'api', config.port, {}), ...workers];
}

import type { Config } from '../../../config/config.ts';
import { LIMITS } from '../../../config/limits.ts';
import type { ChildSpec } from '../process/launch.ts';
import type { EnginesInUse } from '../start-engines.ts';

/** Time a service may take until it serves, in milliseconds. */
const SERVICE_READY_MS = 60_000;

/** What a service's process gets beyond the time that it gives itself to stop, in milliseconds. */
const STOP_GRACE_MS = 2_000;

/**
 * What Node is told for workers. Groups under way outlive several collections of the default young generation (16 MiB), each
 * of which copies them: with twice the room, collecting costs half. An api keeps the default, which makes it a tenth smaller.
 */
export const SERVICE_NODE_ARGS = { api: [], worker: ['--max-semi-space-size=32'] } as const;

/**
 * The C library's allocator keeps an arena for almost every thread, and what one thread frees of the bytes of records and
 * pages another cannot use: with two of them an api over a large field is a tenth smaller.
 */
export const SERVICE_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' } as const;

/** The programs of the service's processes, as absolute paths. They are told which one they are: `api` or `worker`. */
export interface ServiceEntries {
  readonly api: string;
  readonly worker: string;
}

/** The processes that make the service: one api, and as many workers as configured. */
export function serviceSpecs(
  config: Config,
  entries: ServiceEntries,
  engines: EnginesInUse,
  environment: Readonly<Record<string, string>>,
): ChildSpec[] {
  const env = {
    // At this level a terminal shows what is wrong and nothing else.
    LOG_LEVEL: 'warn',
    ...SERVICE_ENVIRONMENT,
    ...environment,
    DATA_DIR: config.dataDir,
    MONGODB_URL: engines.mongo.url,
    REDIS_URL: engines.redis.url,
  };
  const spec = (name: string, role: keyof ServiceEntries, own: Record<string, string>): ChildSpec => ({
    name,
    entry: entries[role],
    args: [role],
    nodeArgs: SERVICE_NODE_ARGS[role],
    env: { ...env, ...own },
    readyWithinMs: SERVICE_READY_MS,
    stopWithinMs: LIMITS.shutdown.processMs + STOP_GRACE_MS,
    output: 'through',
  });
  const workers = Array.from({ length: config.workers }, (_, index) =>
    spec(`worker ${index + 1}`, 'worker', { WORKER_INDEX: String(index + 1) }),
  );
  return [spec('api', 'api', {}), ...workers];
}

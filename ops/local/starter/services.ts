import type { Config } from '../../../config/config.ts';
import { LIMITS } from '../../../config/limits.ts';
import type { ChildSpec } from '../process/launch.ts';
import type { EnginesInUse } from '../start-engines.ts';

/** Time limit for a service to become ready, in milliseconds. */
const SERVICE_READY_MS = 60_000;

/** Time beyond the service's shutdown deadline until its process is killed, in milliseconds. */
const STOP_GRACE_MS = 2_000;

/**
 * Node arguments. Requests and batches in progress outlive several collections of the young generation, whose semi-spaces have 16
 * MiB by default, and each collection copies them. With 64 MiB instead of 32, a snapshot takes 1 to 2 % less CPU time, and the api
 * 35 to 55 MiB more memory. Helper threads of the collector wait for each other more than they collect; without them a snapshot
 * takes a quarter less CPU time, and no more of the main thread's. Without allocation-site pretenuring, V8 never decides under
 * load, for the life of the process, to allocate objects such as a response's listeners in the old generation, where each keeps
 * its request alive until a major collection: 20 to 50 us of collection for each request through Koa, not 0.5 to 2. Between two
 * major collections the old generation may double, if Node's heap limit allows it. V8 decides by its rate otherwise: that of a
 * worker with 2,000 snapshots a second and 44 MB live grew by 40 %, and marking it again and again took an eighth of the CPU time.
 * The first major collection comes at an old generation of 64 MiB: without this argument, an api over a million operators takes 12
 * MiB more memory; with 128 MiB, 30 MiB more, and 3 to 5 % less CPU time for its start. A task of the event loop collects the young
 * generation when 95 % of a semi-space is used. V8's default is 80 %, with which collection takes a third more time under load; at
 * 100 %, V8 collects in the middle of a function, where more is in use.
 */
export const SERVICE_NODE_ARGS = [
  '--max-semi-space-size=32',
  '--single-threaded-gc',
  '--no-allocation-site-pretenuring',
  '--heap-growing-percent=100',
  '--initial-old-space-size=64',
  '--minor-gc-task-trigger=95',
] as const;

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
  const spec = (name: string, role: keyof ServiceEntries, own: Record<string, string>): ChildSpec => ({
    name,
    entry: entries[role],
    args: [role],
    nodeArgs: SERVICE_NODE_ARGS,
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

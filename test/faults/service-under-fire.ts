import { processEnvironment } from '../../config/env.ts';
import { SERVICE_NODE_ARGS } from '../../ops/bootstrap/service-node-args.mjs';
import { freePort } from '../../ops/local/free-port.ts';
import type { ChildSpec } from '../../ops/local/process/launch.ts';
import { childProgram } from '../support/child-programs.ts';
import type { FreshDatabase } from '../support/engines.ts';
import { createPlainBoard } from '../support/plain-board.ts';
import { type OwnClocks, openOwnClocks } from './own-clocks.ts';
import { type KillableProcess, type OwnEngines, startKillable, startOwnEngines } from './own-engines.ts';

/** Whether to print the logs of the processes. */
const SHOWN = processEnvironment()['FAULT_LOGS'] === 'shown';
const WORKERS = 2;
const READY_WITHIN_MS = 300_000;
const STOP_WITHIN_MS = 120_000;
/** Attempts to start a process: its databases may be unavailable. */
const MAX_STARTS = 20;

/** The service as real processes, each of which can be killed. */
export interface ServiceUnderFire {
  readonly engines: OwnEngines;
  /** The clocks of the api and the workers. */
  readonly clocks: OwnClocks;
  readonly origin: string;
  readonly baseUrl: string;
  /** api, worker 1, worker 2, MongoDB, Redis. */
  readonly processes: readonly KillableProcess[];
  /** Unexpected exits of processes, with reasons. Such a process is not restarted. */
  readonly falls: readonly string[];
  /** Kills a process and starts it again; resolves after its exit. `restarted` resolves when it is ready. */
  kill(target: KillableProcess): Promise<{ readonly restarted: Promise<void> }>;
  close(): Promise<void>;
}

/** `viaProxies` may put proxies between the service and its databases: it maps their URLs to those to use. */
export async function startServiceUnderFire(
  viaProxies: (database: FreshDatabase) => Promise<{ readonly mongoUrl: string; readonly redisUrl: string }> = async (
    database,
  ) => database,
): Promise<ServiceUnderFire> {
  const engines = await startOwnEngines();
  await createPlainBoard(engines.database.mongoUrl);
  const { mongoUrl, redisUrl } = await viaProxies(engines.database);
  const port = await freePort();
  const env = {
    ...processEnvironment(),
    LOG_LEVEL: 'warn',
    MONGODB_URL: mongoUrl,
    REDIS_URL: redisUrl,
    PORT: String(port),
  };
  const workerNames = Array.from({ length: WORKERS }, (_, index) => `worker ${index + 1}`);
  const clocks = openOwnClocks(['api', ...workerNames]);
  const spec = async (name: string, role: 'api' | 'worker'): Promise<ChildSpec> => ({
    name,
    entry: await childProgram('steppedService'),
    nodeArgs: SERVICE_NODE_ARGS[role],
    // A worker serves its metrics at the port after METRICS_PORT.
    env: {
      ...env,
      METRICS_PORT: String((await freePort()) - (role === 'api' ? 0 : 1)),
      STEPPED_ROLE: role,
      STEPPED_CLOCK: clocks.fileOf(name),
    },
    readyWithinMs: READY_WITHIN_MS,
    stopWithinMs: STOP_WITHIN_MS,
    output: SHOWN ? 'through' : 'kept',
  });
  const falls: string[] = [];
  const start = async (child: ChildSpec): Promise<KillableProcess> =>
    startKillable(child, (reason) => falls.push(`${child.name} ${reason}`));
  const [api, ...workers] = await Promise.all([
    spec('api', 'api').then(start),
    ...workerNames.map((name) => spec(name, 'worker').then(start)),
  ]);
  const origin = `http://localhost:${port}`;
  return {
    engines,
    clocks,
    origin,
    baseUrl: `${origin}/api/v1`,
    falls,
    processes: [api, ...workers, engines.mongo, engines.redis],
    async kill(target) {
      await target.kill();
      return { restarted: startAgain(target) };
    },
    async close() {
      await Promise.all([api, ...workers].map((process) => process.stop()));
      await engines.close();
      clocks.close();
    },
  };
}

/** Retries like a supervisor when a process cannot start because a database is unavailable. */
async function startAgain(target: KillableProcess): Promise<void> {
  for (let starts = 1; ; starts++) {
    try {
      return await target.start();
    } catch (error) {
      if (starts === MAX_STARTS) throw error;
    }
  }
}

import { processEnvironment } from '../../config/env.ts';
import { SERVICE_NODE_ARGS } from '../../ops/bootstrap/service-node-args.mjs';
import { freePort } from '../../ops/local/free-port.ts';
import { type ChildSpec, type Exit, launch, type RunningChild } from '../../ops/local/process/launch.ts';
import { childProgram } from './child-programs.ts';
import { createPlainBoard } from './plain-board.ts';

/** With this setting the processes' own logs are shown. */
const SHOWN = processEnvironment()['SERVICE_LOGS'] === 'shown';
const READY_WITHIN_MS = 300_000;
const STOP_WITHIN_MS = 120_000;

/** One process of the service. */
export interface ServiceProcess {
  readonly name: string;
  readonly pid: number;
  /** What it said when it was ready. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Sends SIGTERM; returns how it exited. */
  stop(): Promise<Exit>;
  /** Starts it again, at the same port; resolves when it is ready. */
  start(): Promise<void>;
}

/** The product's processes, several of each kind, over given stores. */
export interface ServiceProcesses {
  /** `http://127.0.0.1:PORT/api/v1` of each api process. */
  readonly bases: readonly string[];
  /** The service's public addresses, of any process. */
  readonly issuer: string;
  readonly audience: string;
  readonly apis: readonly ServiceProcess[];
  readonly workers: readonly ServiceProcess[];
  close(): Promise<void>;
}

export interface ServiceWishes {
  readonly mongoUrl: string;
  readonly redisUrl: string;
  readonly apis: number;
  readonly workers: number;
  /** Variables other than addresses. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The product's unless given. */
  readonly apiProgram?: 'api' | 'watchedApi';
}

export async function startServiceProcesses(wishes: ServiceWishes): Promise<ServiceProcesses> {
  await createPlainBoard(wishes.mongoUrl);
  const ports = await Promise.all(Array.from({ length: wishes.apis }, () => freePort()));
  const issuer = `http://localhost:${ports[0]}`;
  const env = {
    ...processEnvironment(),
    LOG_LEVEL: 'warn',
    MONGODB_URL: wishes.mongoUrl,
    REDIS_URL: wishes.redisUrl,
    BASE_URL: `${issuer}/api/v1`,
    SITE_URL: issuer,
    LOGIN_URL: issuer,
    AUTH_URL: issuer,
    ...wishes.settings,
  };
  const spec = async (
    name: string,
    program: 'api' | 'watchedApi' | 'worker',
    own: Record<string, string>,
  ): Promise<ChildSpec> => ({
    name,
    entry: await childProgram(program),
    nodeArgs: SERVICE_NODE_ARGS.api,
    env: { ...env, ...own },
    readyWithinMs: READY_WITHIN_MS,
    stopWithinMs: STOP_WITHIN_MS,
    output: SHOWN ? 'through' : 'kept',
  });
  const startApi = async (port: number, index: number): Promise<ServiceProcess> => {
    const own = { PORT: String(port), METRICS_PORT: String(await freePort()) };
    return startProcess(await spec(`api ${index + 1}`, wishes.apiProgram ?? 'api', own));
  };
  const startWorker = async (_: unknown, index: number): Promise<ServiceProcess> => {
    // A worker's metrics are at the port after the one that is set.
    const own = { METRICS_PORT: String((await freePort()) - 1) };
    return startProcess(await spec(`worker ${index + 1}`, 'worker', own));
  };
  const [apis, workers] = await Promise.all([
    Promise.all(ports.map(startApi)),
    Promise.all(Array.from({ length: wishes.workers }, startWorker)),
  ]);
  return {
    bases: ports.map((port) => `http://127.0.0.1:${port}/api/v1`),
    issuer,
    audience: env.BASE_URL,
    apis,
    workers,
    async close() {
      await Promise.all([...apis, ...workers].map((process) => process.stop()));
    },
  };
}

async function startProcess(spec: ChildSpec): Promise<ServiceProcess> {
  let child: RunningChild = await launch(spec);
  return {
    name: spec.name,
    get pid() {
      return child.pid;
    },
    get details() {
      return child.details;
    },
    stop: () => child.stop(),
    async start() {
      child = await launch(spec);
    },
  };
}

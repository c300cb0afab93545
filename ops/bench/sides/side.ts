import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { processEnvironment } from '../../../config/env.ts';
import type * as nodeArguments from '../../bootstrap/service-node-args.mjs';
import { freePort } from '../../local/free-port.ts';
import { launch, type RunningChild } from '../../local/process/launch.ts';
import type * as engineStarter from '../../local/start-engines.ts';
import type * as serviceStarter from '../../local/starter/services.ts';
import type { BenchContext } from '../frame/bench.ts';
import { startTaskProcess, type TaskProcess } from '../frame/task-process.ts';
import { importFrom, type Tree } from '../frame/trees.ts';
import type { PopulationTasks } from './population-main.ts';

/** Time limit for a process to become ready, in milliseconds. */
const READY_MS = 120_000;
/** Time from SIGTERM until a process is killed, in milliseconds. */
const STOP_MS = 15_000;

/** Programs of a tree, below its root: the product's processes, and an api with quotas that no load reaches. */
const PROGRAMS = { product: 'ops/bootstrap/service.mjs', unlimited: 'ops/bench/frame/service/api-main.mjs' } as const;

/** Compiles both, in separate processes: a process that has compiled its program stays a fifth slower. */
const COMPILATIONS = [[PROGRAMS.unlimited, 'compile'], ['ops/bootstrap/compile-services.mjs']] as const;

/** Every address of this machine is a proxy, so that requests can come from any client. */
const TRUSTED_PROXIES = '127.0.0.0/8';

export type ServiceProcess = Pick<RunningChild, 'pid' | 'stop'> & { readonly port: number };

/** The engine of a tree in a separate process. */
export type Population = TaskProcess<PopulationTasks>;

export type ServiceEnvironment = Readonly<Record<string, string>>;

/**
 * A tree with its own local engines, of which a bench starts and measures processes. All that differs between trees is run by each
 * tree's own files: engines, Node arguments, programs, and the doors of the engine (`population-main.ts`).
 */
export type Side = Awaited<ReturnType<typeof openSide>>;

/** Opens each tree of the context, and what a bench measures of it. */
export async function openSides<Opened>(
  context: BenchContext,
  open: (side: Side) => Promise<Opened>,
): Promise<readonly [Opened, ...Opened[]]> {
  const [own, ...others] = context.trees;
  const opened: [Opened, ...Opened[]] = [await open(await openSide(context, own))];
  for (const tree of others) opened.push(await open(await openSide(context, tree)));
  return opened;
}

/** Enrols operators who can submit into a new database of a tree, and starts a worker over it. */
export async function startOverSubmitters(context: BenchContext, side: Side, count: number) {
  context.progress(`enrolling ${count} operators: ${side.name}`);
  const mongoUrl = side.newDatabase();
  const env = await side.environmentOf(mongoUrl);
  const shape = { count, baseUrl: env['BASE_URL'] ?? '' };
  const submitters = await side.fill(mongoUrl, (population) => population.request('submitters', shape));
  return { mongoUrl, env, submitters, worker: await side.startWorker(env) };
}

async function openSide(context: BenchContext, tree: Tree) {
  const engines = await startEngines(context, tree);
  const { SERVICE_NODE_ARGS } = await importFrom<typeof nodeArguments>(tree, 'ops/bootstrap/service-node-args.mjs');
  const { SERVICE_ENVIRONMENT } = await importFrom<typeof serviceStarter>(tree, 'ops/local/starter/services.ts');
  const path = (program: string): string => join(tree.root, program);
  await Promise.all(
    COMPILATIONS.map(([program, ...args]) => promisify(execFile)(process.execPath, [path(program), ...args])),
  );
  const start = async (role: 'api' | 'worker', entry: string, env: ServiceEnvironment): Promise<ServiceProcess> => {
    const spec = { name: role, entry: path(entry), args: entry === PROGRAMS.product ? [role] : [], env };
    const limits = { readyWithinMs: READY_MS, stopWithinMs: STOP_MS, output: 'through' } as const;
    const child = await launch({ ...spec, ...limits, nodeArgs: SERVICE_NODE_ARGS[role] });
    context.onClose(() => child.stop());
    return { pid: child.pid, stop: child.stop, port: Number(child.details['port'] ?? 0) };
  };
  /** Settings of a service over a database, with free ports and the addresses that its tokens contain. */
  const environmentOf = async (mongoUrl: string): Promise<ServiceEnvironment> => {
    // The worker's metrics are at the second.
    const [port, metricsPort] = [await freePort(), await freePort(2)];
    const origin = `http://127.0.0.1:${port}`;
    return {
      ...SERVICE_ENVIRONMENT,
      ...processEnvironment(),
      LOG_LEVEL: 'warn',
      HOST: '127.0.0.1',
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      DATA_DIR: join(context.dataDir, 'service'),
      MONGODB_URL: mongoUrl,
      REDIS_URL: engines.redisUrl,
      BASE_URL: `${origin}/api/v1`,
      SITE_URL: origin,
      LOGIN_URL: origin,
      AUTH_URL: origin,
      TRUSTED_PROXIES,
    };
  };
  const openPopulation = (mongoUrl: string): Promise<Population> => {
    const program = new URL('population-main.ts', import.meta.url);
    const args = [tree.root, mongoUrl, String(engines.pids.mongo)];
    return startTaskProcess<PopulationTasks>(context, program, args, SERVICE_NODE_ARGS.worker);
  };
  return {
    ...tree,
    nodeArgs: SERVICE_NODE_ARGS,
    pids: engines.pids,
    newDatabase: () => withDatabase(engines.mongoUrl, `bench-${randomBytes(6).toString('hex')}`),
    environmentOf,
    startWorker: (env: ServiceEnvironment) => start('worker', PROGRAMS.product, env),
    /** Starts an api with the product's quotas. */
    startApi: (env: ServiceEnvironment) => start('api', PROGRAMS.product, env),
    startUnlimitedApi: (env: ServiceEnvironment) => start('api', PROGRAMS.unlimited, env),
    /** Runs the tree's engine over a database in a separate process, with the arguments of a worker. */
    openPopulation,
    /** Fills a new database by the tree's engine, in a process that ends before others are measured. */
    async fill<T>(mongoUrl: string, work: (population: Population) => Promise<T>): Promise<T> {
      const population = await openPopulation(mongoUrl);
      const value = await work(population);
      await population.stop();
      return value;
    },
  };
}

async function startEngines(context: BenchContext, tree: Tree) {
  const { startEngines: startOf } = await importFrom<typeof engineStarter>(tree, 'ops/local/start-engines.ts');
  const dataDir = join(context.dataDir, `engines of ${tree.name}`);
  await mkdir(dataDir, { recursive: true });
  const { mongo, redis, stop } = await startOf(
    { mongoUrl: undefined, redisUrl: undefined, dataDir, environment: processEnvironment() },
    { ended: printEvent, restarted: () => undefined, gaveUp: printEvent },
  );
  context.onClose(stop);
  return {
    mongoUrl: mongo.url,
    redisUrl: redis.url,
    pids: { mongo: mongo.process?.pid() ?? 0, redis: redis.process?.pid() ?? 0 },
  };
}

function printEvent(name: string, reason: string): void {
  process.stderr.write(`${name} ${reason}\n`);
}

function withDatabase(address: string, name: string): string {
  const url = new URL(address);
  url.pathname = `/${name}`;
  return url.href;
}

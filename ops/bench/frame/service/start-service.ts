import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { processEnvironment } from '../../../../config/env.ts';
import { SERVICE_NODE_ARGS } from '../../../bootstrap/service-node-args.mjs';
import { freePort } from '../../../local/free-port.ts';
import { launch, type RunningChild } from '../../../local/process/launch.ts';
import { SERVICE_ENVIRONMENT } from '../../../local/starter/services.ts';
import type { BenchContext } from '../bench.ts';

/** Time limit for a process to become ready, in milliseconds. */
const READY_MS = 120_000;

/** Time from SIGTERM until a process is killed, in milliseconds. */
const STOP_MS = 15_000;

const API = fileURLToPath(new URL('api-main.mjs', import.meta.url));
const SERVICE = fileURLToPath(new URL('../../../bootstrap/service.mjs', import.meta.url));

const COMPILER = fileURLToPath(new URL('../../../bootstrap/compile-services.mjs', import.meta.url));

let compiling: Promise<unknown> | null = null;

/**
 * Compiles the programs of benches once, in separate processes, as `npm start` does: a process that has compiled its
 * program stays a fifth slower.
 */
function compiled(): Promise<unknown> {
  const commands = [[API, 'compile'], [COMPILER]];
  compiling ??= Promise.all(commands.map((command) => promisify(execFile)(process.execPath, command)));
  return compiling;
}

/** A process of the service. */
export type BenchProcess = RunningChild & { readonly port: number };

/** The environment of the service's processes over a bench's engines, with free ports. */
export async function serviceEnvironment(
  context: BenchContext,
  extra: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const { mongoUrl, redisUrl } = await context.engines();
  // The worker's metrics are at the second.
  const [port, metricsPort] = [await freePort(), await freePort(2)];
  return {
    ...SERVICE_ENVIRONMENT,
    ...processEnvironment(),
    LOG_LEVEL: 'warn',
    HOST: '127.0.0.1',
    PORT: String(port),
    METRICS_PORT: String(metricsPort),
    DATA_DIR: join(context.dataDir, 'service'),
    MONGODB_URL: mongoUrl,
    REDIS_URL: redisUrl,
    ...extra,
  };
}

/** Addresses of a service, chosen before it starts because tokens contain them, and its environment with them. */
export async function serviceSite(context: BenchContext) {
  const env = await serviceEnvironment(context);
  const origin = `http://127.0.0.1:${env['PORT']}`;
  const baseUrl = `${origin}/api/v1`;
  const urls = { BASE_URL: baseUrl, SITE_URL: origin, LOGIN_URL: origin, AUTH_URL: origin };
  return {
    baseUrl,
    /** URL of the api's metrics. */
    metricsUrl: `http://127.0.0.1:${env['METRICS_PORT']}/metrics`,
    env: { ...env, ...urls },
  };
}

/** Starts an api process with quotas that no load reaches; it ends with the bench. Without `fastPath`, Koa handles every request. */
export async function startBenchApi(
  context: BenchContext,
  env: Readonly<Record<string, string>>,
  { fastPath = true }: { readonly fastPath?: boolean } = {},
): Promise<BenchProcess> {
  await compiled();
  return startProcess(context, fastPath ? 'api' : 'api without fast path', API, env, fastPath ? [] : ['no-fast-path']);
}

/** Starts the api or a worker as `npm start` does: compiled, with production quotas. It ends with the bench. */
export async function startProduct(
  context: BenchContext,
  role: 'api' | 'worker',
  env: Readonly<Record<string, string>>,
): Promise<BenchProcess> {
  await compiled();
  return startProcess(context, role, SERVICE, env, [role]);
}

/** Starts a program that sends a `ready` message with its `port`; it ends with the bench. */
export async function startProcess(
  context: BenchContext,
  name: string,
  entry: string,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<BenchProcess> {
  const child = await launch({
    name,
    entry,
    args,
    // A worker's name is `worker`; peers get the arguments of the api.
    nodeArgs: SERVICE_NODE_ARGS[name === 'worker' ? name : 'api'],
    env,
    readyWithinMs: READY_MS,
    stopWithinMs: STOP_MS,
    output: 'through',
  });
  context.onClose(() => child.stop());
  return { ...child, port: Number(child.details['port'] ?? 0) };
}

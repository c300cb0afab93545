import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { AggregatorRegistry, type PrometheusContentType } from 'prom-client';
import type { ServiceConfig } from '../config/config.ts';
import { LIMITS } from '../config/limits.ts';
import type { Lifecycle } from '../ops/runtime/lifecycle.ts';
import { createMetricsServer, type Logger, type Registry } from '../ops/runtime/telemetry/index.ts';

/** Time until a process that ended is replaced, in milliseconds. */
const REPLACED_AFTER_MS = 250;
/** Interval at which a process reports to the first one that it lives, in milliseconds. */
const ALIVE_EVERY_MS = 1_000;
const ALIVE = 'alive';

interface ProcessesOptions {
  readonly config: ServiceConfig;
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
  /** Tests shorten it. */
  readonly liveness?: Record<keyof typeof LIMITS.liveness, number>;
}

/**
 * Starts `config.apiProcesses` processes of the api at one address, and serves the metrics of all of them, each with its number
 * as the label `process`. One that ends is replaced, and one that is silent is killed. Returns when all are ready; throws when one
 * ends before that.
 */
export async function startProcesses(options: ProcessesOptions): Promise<{ readonly port: number }> {
  const { config, log, lifecycle, liveness = LIMITS.liveness } = options;
  let killedAt = Number.NEGATIVE_INFINITY;
  const registry = new AggregatorRegistry<PrometheusContentType>();
  const served = { contentType: registry.contentType, metrics: () => registry.clusterMetrics() };
  const metricsServer = await createMetricsServer({ registry: served, host: config.host, port: config.metricsPort });
  lifecycle.onClose('metrics', () => metricsServer.close());
  lifecycle.onClose('api processes', stopProcesses, LIMITS.shutdown.processMs);

  async function start(): Promise<number> {
    const child = cluster.fork();
    closeWhatItLeaves(child);
    child.once('exit', () => void replace(child));
    const port = await portWhenReady(child);
    killWhenSilent(child);
    return port;
  }

  function killWhenSilent(child: Worker): void {
    // Counted in looks: while this process is paused itself, it looks at none.
    let silentMs = 0;
    child.on('message', (message: unknown) => {
      if (message === ALIVE) silentMs = 0;
    });
    const timer = setInterval(() => {
      silentMs += liveness.everyMs;
      const now = performance.now();
      if (silentMs <= liveness.silentMs || now - killedAt < liveness.apartMs) return;
      killedAt = now;
      log.error({ process: child.id, silentMs }, 'an api process is silent and is killed');
      child.process.kill('SIGKILL');
    }, liveness.everyMs);
    child.once('exit', () => clearInterval(timer));
  }

  async function replace({ id, process: { pid, exitCode, signalCode } }: Worker): Promise<void> {
    if (lifecycle.signal.aborted) return;
    log.error({ process: id, ended: pid, exitCode, signalCode }, 'an api process ended and is replaced');
    await pause(REPLACED_AFTER_MS);
    if (lifecycle.signal.aborted) return;
    await start().catch((error: unknown) => {
      // A process that is stopped while it starts is none that cannot start.
      if (!lifecycle.signal.aborted) throw error;
    });
  }

  const [port = config.port] = await Promise.all(Array.from({ length: config.apiProcesses }, start));
  return { port };
}

/** Makes the metrics of this process part of those of all processes, and reports to the first one, every `ALIVE_EVERY_MS`, that it lives. */
export function joinProcesses(registry: Registry): void {
  AggregatorRegistry.setRegistries(registry);
  // Its construction makes this process answer requests for metrics.
  void new AggregatorRegistry();
  const timer = setInterval(() => {
    if (process.connected) process.send?.(ALIVE, undefined, undefined, () => {});
  }, ALIVE_EVERY_MS);
  timer.unref();
}

/** The number of this process among those that share an address; null for a single one. */
export function processNumber(): number | null {
  return cluster.worker?.id ?? null;
}

/**
 * Closes the connection that a process was passed last when it ends without stopping in order. Connections are passed one at a
 * time, and `cluster` closes its copy only when the process confirms: otherwise its client would wait for its own limit.
 */
function closeWhatItLeaves({ process: child }: Worker): void {
  // Otherwise processes share the handle that listens, and no connections are passed.
  if (cluster.schedulingPolicy !== cluster.SCHED_RR) return;
  let last: unknown;
  const send = child.send.bind(child);
  child.send = (...args: unknown[]) => {
    last = args[1] ?? last;
    return Reflect.apply(send, child, args);
  };
  child.once('exit', (exitCode) => {
    if (exitCode !== 0 && isClosable(last)) last.close();
  });
}

function isClosable(handle: unknown): handle is { close(): void } {
  return typeof handle === 'object' && handle !== null && 'close' in handle && typeof handle.close === 'function';
}

/** The port of a process once it is ready. Throws when it ends first. */
async function portWhenReady(child: Worker): Promise<number> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error(`api process ${child.id} ended before it was ready`));
    child.once('exit', ended);
    child.on('message', (message: { readonly type?: unknown; readonly port?: unknown }) => {
      if (message.type !== 'ready') return;
      child.off('exit', ended);
      resolve(Number(message.port));
    });
  });
}

/** Stops all processes in order, as SIGTERM does. */
async function stopProcesses(): Promise<void> {
  const running = Object.values(cluster.workers ?? {}).flatMap((child) => child ?? []);
  await Promise.all(
    running.map(async (child) => {
      child.process.kill('SIGTERM');
      if (!child.isDead()) await once(child, 'exit');
    }),
  );
}

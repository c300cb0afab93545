import type { Config } from '../../../config/config.ts';
import { createLifecycle, type Lifecycle } from '../../runtime/lifecycle.ts';
import type { ChildSpec } from '../process/launch.ts';
import { RESTART_POLICY, type Supervised, type SupervisionEvents, supervise } from '../process/supervise.ts';
import { type EnginesInUse, startEngines } from '../start-engines.ts';
import { lockFolder } from './folder-lock.ts';
import { greeting } from './greeting.ts';
import { prepareDataDir, requirePorts, StartError } from './preconditions.ts';
import { DEVELOPMENT_POLICY, restartOnChange } from './restart-on-change.ts';
import { hasRunNote, readRunNote, removeRunNote, writeRunNote } from './run-note.ts';
import { type ServiceEntries, serviceSpecs } from './services.ts';

/** Deadline for stopping services and then engines, in milliseconds; after it this process exits. */
const STOP_DEADLINE_MS = 25_000;

/** Time limit for stopping the services, and for stopping the engines, in milliseconds. Each process has a shorter one. */
const CLOSE_STEP_MS = 13_000;

export interface StarterOptions {
  readonly config: Config;
  readonly environment: Readonly<Record<string, string>>;
  readonly entries: ServiceEntries;
  /** Folder of the sources: services restart when one changes and open an inspector. Null outside of development. */
  readonly sources: string | null;
  /** Prints one or more lines for people. */
  readonly print: (text: string) => void;
  /** Prints why the start failed, before what was started is stopped. */
  readonly printFailure: (text: string) => void;
}

/**
 * `npm start`: runs the databases without a configured address, the api and the workers, and stops them when it ends.
 * Resolves when everything is ready; the process then runs until it is stopped.
 *
 * Returns false when the start failed, after its cause was printed and everything was stopped.
 */
export async function startUpsilon(options: StarterOptions): Promise<boolean> {
  const { config, print } = options;
  const begun = performance.now();
  let hasStarted = false;
  const lifecycle = createLifecycle({ log: plainLog(print, () => hasStarted), deadlineMs: STOP_DEADLINE_MS });
  lifecycle.installSignalHandlers();
  const events = supervisionEvents(print, lifecycle);
  try {
    await takeFolder(config.dataDir, lifecycle);
    await requirePorts(config, (await hasRunNote(config.dataDir)) ? CLOSE_STEP_MS : 0);
    hasStarted = true;
    const engines = await openEngines(options, lifecycle, events);
    await note(config, engines, lifecycle);
    const services = await openServices(options, engines, lifecycle, events);
    if (lifecycle.signal.aborted) return true;
    print(greeting(config, engines, services, (performance.now() - begun) / 1000));
    lifecycle.announceReady({});
    return true;
  } catch (error) {
    // A process that is stopped during its start fails to start; that is no error.
    if (lifecycle.signal.aborted) return true;
    options.printFailure(error instanceof Error ? error.message : String(error));
    await lifecycle.close('the start failed');
    return false;
  }
}

async function takeFolder(dataDir: string, lifecycle: Lifecycle): Promise<void> {
  await prepareDataDir(dataDir);
  const lock = await lockFolder(dataDir);
  if (lock === null) {
    const running = await readRunNote(dataDir);
    const who = running === null ? '' : ` (process ${running.pid}, ${running.base_url})`;
    throw new StartError(
      `Upsilon is already running over ${dataDir}${who}. Stop it first, or set DATA_DIR, PORT and METRICS_PORT for a second one.`,
    );
  }
  lifecycle.onClose('the data folder', () => lock.release());
}

async function openEngines(
  options: StarterOptions,
  lifecycle: Lifecycle,
  events: SupervisionEvents,
): Promise<EnginesInUse> {
  const { config, environment } = options;
  const { mongoUrl, redisUrl, dataDir } = config;
  const starting = startEngines({ mongoUrl, redisUrl, dataDir, environment }, events);
  lifecycle.onClose('MongoDB and Redis', async () => (await starting.catch(() => null))?.stop(), CLOSE_STEP_MS);
  return starting;
}

async function openServices(
  options: StarterOptions,
  engines: EnginesInUse,
  lifecycle: Lifecycle,
  events: SupervisionEvents,
): Promise<Supervised[]> {
  if (lifecycle.signal.aborted) throw new StartError('Stopped.');
  const { config, entries, environment, sources } = options;
  const specs = serviceSpecs(config, entries, engines, environment);
  const policy = sources === null ? RESTART_POLICY : DEVELOPMENT_POLICY;
  const inspected = sources === null ? specs : specs.map(withInspector);
  const starting = inspected.map((spec) => supervise(spec, events, policy));
  lifecycle.onClose('api and workers', () => stopAll(starting), CLOSE_STEP_MS);
  const services = await Promise.all(starting);
  if (sources !== null) lifecycle.onClose('watching the sources', restartOnChange(sources, services));
  return services;
}

const FIRST_INSPECTOR_PORT = 9_229;

/** It is not asked whether it lives: a breakpoint stops its answers too. */
function withInspector({ liveUrl: _stopped, ...spec }: ChildSpec, index: number): ChildSpec {
  return { ...spec, nodeArgs: [...(spec.nodeArgs ?? []), `--inspect=127.0.0.1:${FIRST_INSPECTOR_PORT + index}`] };
}

/** Stops the api first, so that the workers can finish what it accepted. */
async function stopAll(starting: ReadonlyArray<Promise<Supervised>>): Promise<void> {
  const services = (await Promise.allSettled(starting)).flatMap((result) =>
    result.status === 'fulfilled' ? [result.value] : [],
  );
  // What stops this process may have signalled its children as well, as a terminal and systemd do.
  for (const service of services) service.letEnd();
  const api = services.filter((service) => service.name === 'api');
  const workers = services.filter((service) => service.name !== 'api');
  await Promise.all(api.map((service) => service.stop()));
  await Promise.all(workers.map((service) => service.stop()));
}

async function note(config: Config, engines: EnginesInUse, lifecycle: Lifecycle): Promise<void> {
  lifecycle.onClose('the run note', () => removeRunNote(config.dataDir));
  await writeRunNote(config.dataDir, {
    pid: process.pid,
    started_at: new Date().toISOString(),
    mongo_url: engines.mongo.url,
    redis_url: engines.redis.url,
    base_url: config.baseUrl,
    auth_url: config.authUrl,
  });
}

function supervisionEvents(print: (text: string) => void, lifecycle: Lifecycle): SupervisionEvents {
  return {
    ended: (name, reason) => print(`${name} ${reason}\nRestarting ${name}.`),
    silent: (name, seconds) => print(`${name} gave no answer for ${seconds} s.`),
    restarted: (name, pid) => print(`${name} is ready again (process ${pid}).`),
    gaveUp: (name, reason) => {
      print(`${name} ${reason}\n${name} exited too often; stopping everything.`);
      void lifecycle.close(`${name} does not keep running`).then(() => process.exit(1));
    },
  };
}

function plainLog(print: (text: string) => void, hasStarted: () => boolean) {
  return {
    info(_details: object, message: string) {
      if (!hasStarted()) return;
      if (message === 'closing') print('Stopping.');
      if (message === 'closed') print('Stopped.');
    },
    error: (details: object, message: string) => print(`${message}: ${JSON.stringify(details)}`),
  };
}

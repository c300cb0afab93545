import type { Config } from '../../../config/config.ts';
import { createLifecycle, type Lifecycle } from '../../runtime/lifecycle/index.ts';
import type { ChildSpec } from '../process/launch.ts';
import { RESTART_POLICY, type Supervised, type SupervisionEvents, supervise } from '../process/supervise.ts';
import { type EnginesInUse, startEngines } from '../start-engines.ts';
import { lockFolder } from './folder-lock.ts';
import { greeting } from './greeting.ts';
import { prepareDataDir, requirePorts } from './preconditions.ts';
import { DEVELOPMENT_POLICY, restartOnChange } from './restart-on-change.ts';
import { readRunNote, removeRunNote, writeRunNote } from './run-note.ts';
import { type ServiceEntries, serviceSpecs } from './services.ts';
import { StartProblem } from './start-problem.ts';

/** From the wish to stop until this process ends all the same, in milliseconds: services, then engines, each with a limit. */
const STOP_DEADLINE_MS = 25_000;

/** What closing the services or the engines may take, in milliseconds. Each of their processes has a shorter limit. */
const CLOSE_STEP_MS = 13_000;

export interface StarterOptions {
  readonly config: Config;
  readonly environment: Readonly<Record<string, string>>;
  readonly entries: ServiceEntries;
  /** The folder of the sources: services restart when one changes, and open an inspector. Null outside of development. */
  readonly sources: string | null;
  /** Tells people something: one or more lines. */
  readonly say: (text: string) => void;
}

/**
 * `npm start`: runs the databases (those that are not given), the api and the workers, and ends them all when it ends.
 * Resolves when everything is ready; the process then lives until it is told to stop.
 *
 * @throws StartProblem, or the reason why an engine or a service did not start, after everything is stopped again.
 */
export async function startUpsilon(options: StarterOptions): Promise<void> {
  const { config, say } = options;
  const begun = performance.now();
  const lifecycle = createLifecycle({ log: plainLog(say), deadlineMs: STOP_DEADLINE_MS });
  lifecycle.installSignalHandlers();
  const events = supervisionEvents(say, lifecycle);
  try {
    await takeFolder(config.dataDir, lifecycle);
    await requirePorts(config);
    const engines = await openEngines(options, lifecycle, events);
    await note(config, engines, lifecycle);
    const services = await openServices(options, engines, lifecycle, events);
    if (lifecycle.signal.aborted) return;
    say(greeting(config, engines, services, (performance.now() - begun) / 1000));
    lifecycle.announceReady({});
  } catch (error) {
    // What is stopped while it starts fails to start, which is no problem.
    if (lifecycle.signal.aborted) return;
    await lifecycle.close('the start failed');
    throw error;
  }
}

async function takeFolder(dataDir: string, lifecycle: Lifecycle): Promise<void> {
  await prepareDataDir(dataDir);
  const lock = await lockFolder(dataDir);
  if (lock === null) {
    const running = await readRunNote(dataDir);
    const who = running === null ? '' : ` (process ${running.pid}, ${running.base_url})`;
    throw new StartProblem(
      `Upsilon runs over ${dataDir} already${who}. Stop it first, or set DATA_DIR, PORT and METRICS_PORT for a second one.`,
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
  if (lifecycle.signal.aborted) throw new StartProblem('Stopped.');
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

function withInspector(spec: ChildSpec, index: number): ChildSpec {
  return { ...spec, nodeArgs: [...(spec.nodeArgs ?? []), `--inspect=127.0.0.1:${FIRST_INSPECTOR_PORT + index}`] };
}

/** The api goes first: what it has accepted, the workers may still finish. */
async function stopAll(starting: ReadonlyArray<Promise<Supervised>>): Promise<void> {
  const services = (await Promise.allSettled(starting)).flatMap((result) =>
    result.status === 'fulfilled' ? [result.value] : [],
  );
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
    issuer: config.issuer,
    jwks_url: config.jwksUrl ?? null,
  });
}

function supervisionEvents(say: (text: string) => void, lifecycle: Lifecycle): SupervisionEvents {
  return {
    ended: (name, reason) => say(`${name} ${reason}\nStarting ${name} again.`),
    restarted: (name, pid) => say(`${name} is ready again (process ${pid}).`),
    gaveUp: (name, reason) => {
      say(`${name} ${reason}\n${name} has ended too often; stopping everything.`);
      void lifecycle.close(`${name} does not keep running`).then(() => process.exit(1));
    },
  };
}

function plainLog(say: (text: string) => void) {
  return {
    info(_details: object, message: string) {
      if (message === 'closing') say('Stopping.');
      if (message === 'closed') say('Stopped.');
    },
    error: (details: object, message: string) => say(`${message}: ${JSON.stringify(details)}`),
  };
}

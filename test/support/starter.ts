import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { processEnvironment } from '../../config/env.ts';
import { freePort } from '../../ops/local/free-port.ts';
import { childProgram } from './child-programs.ts';
import { makeDataFolder } from './data-folder.ts';
import { eventually } from './eventually.ts';

const STAND_IN = z.object({ pid: z.int(), mongoUrl: z.string(), redisUrl: z.string(), workerIndex: z.int() });

/** Settings of a copy of the service that can run at the same time as others. */
export interface CopySettings {
  readonly DATA_DIR: string;
  readonly PORT: string;
  readonly METRICS_PORT: string;
  readonly [name: string]: string;
}

/** A started `npm start` with stand-ins for the api and the workers. */
export interface Starter {
  readonly child: ChildProcess;
  /** Its output so far. */
  readonly output: () => string;
  /** Resolves with its exit status or signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Resolves when it has printed that everything is ready. */
  readonly ready: () => Promise<void>;
}

/** Fetches a stand-in's process id and environment. */
export async function fetchStandIn(port: number | string): Promise<z.infer<typeof STAND_IN>> {
  const response = await fetch(`http://127.0.0.1:${port}/`);
  return STAND_IN.parse(await response.json());
}

/** Creates settings with a new data folder and free ports. */
export async function copySettings(): Promise<CopySettings> {
  const dataDir = await makeDataFolder('upsilon-start-');
  // For the api, its metrics, and the metrics of up to two workers.
  const port = await freePort(4);
  return { DATA_DIR: dataDir, PORT: String(port), METRICS_PORT: String(port + 1) };
}

export async function runStarter(settings: CopySettings): Promise<Starter> {
  const { MONGODB_URL: _mongo, REDIS_URL: _redis, ...environment } = processEnvironment();
  const programs = [
    await childProgram('starter'),
    await childProgram('standInApi'),
    await childProgram('standInWorker'),
  ];
  const child = spawn(process.execPath, programs, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment, ...settings },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 0));
  });
  return {
    child,
    output: () => output,
    ended,
    async ready() {
      let end: number | NodeJS.Signals | null = null;
      void ended.then((status) => (end = status));
      await eventually('readiness', () => end !== null || output.includes('Upsilon is ready'));
      if (end !== null) throw new Error(`the starter ended (${String(end)}):\n${output}`);
    },
  };
}

/**
 * The processes of a data folder: those with the folder in their arguments or environment.
 * Returns process ids with commands.
 */
export async function processesOf(dataDir: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const [command, environment] = await Promise.all(
      ['cmdline', 'environ'].map((file) => readFile(join('/proc', pid, file), 'latin1').catch(() => '')),
    );
    const works = command !== '' && (environment?.includes(dataDir) === true || command?.includes(dataDir) === true);
    if (works && Number(pid) !== process.pid) found.push(`${pid} ${command?.replaceAll('\0', ' ')}`);
  }
  return found;
}

/** Stops a copy in any state and removes its data. */
export async function discard(starter: Starter | null, settings: CopySettings): Promise<void> {
  starter?.child.kill('SIGTERM');
  await starter?.ended;
  await eventually('the end of every process', async () => (await processesOf(settings.DATA_DIR)).length === 0);
  await rm(settings.DATA_DIR, { recursive: true, force: true });
}

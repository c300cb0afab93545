import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { processEnvironment } from '../../config/env.ts';
import { freePort } from '../../ops/local/free-port.ts';

const READY_WITHIN_MS = 180_000;
const BOOTSTRAP = 'ops/bootstrap.mjs';

/** A checkout's service over a data folder that is removed with it. */
export interface RunningCheckout extends AsyncDisposable {
  readonly port: number;
  /** Runs an operator command; returns its output. */
  ops(...args: string[]): Promise<string>;
}

/** Starts the service of a checkout by its own starter, with the board of the methodology without floors. */
export async function runCheckout(dir: string, settings: Readonly<Record<string, string>>): Promise<RunningCheckout> {
  const dataDir = await mkdtemp(join(tmpdir(), 'replay-'));
  const [port, metricsPort] = [await freePort(), await freePort(2)];
  const own = { PORT: `${port}`, METRICS_PORT: `${metricsPort}`, DATA_DIR: dataDir, LOG_LEVEL: 'fatal', ...settings };
  const env = { ...processEnvironment(), ...own };
  const child = spawn(process.execPath, [BOOTSTRAP, 'start'], { cwd: dir, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<string>((resolve) =>
    child.once('close', (code) => resolve(`the service exited with ${code}`)),
  );
  const ready = new Promise<null>((resolve) => {
    child.stdout.on('data', (data) => String(data).includes('Upsilon is ready') && resolve(null));
  });
  const timer = setTimeout(() => child.kill(), READY_WITHIN_MS);
  const failure = await Promise.race([ended, ready]);
  clearTimeout(timer);
  if (failure !== null) throw new Error(failure);
  const ops = async (...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(process.execPath, [BOOTSTRAP, 'ops', ...args], { cwd: dir, env });
    return stdout.trim();
  };
  await ops('methodology', 'activate', '1', '--yes');
  return {
    port,
    ops,
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

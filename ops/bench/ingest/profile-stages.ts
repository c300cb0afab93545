import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../frame/bench.ts';
import { startProcess } from '../frame/service/start-service.ts';
import { readStages, type StageShares } from './stages.ts';

const POLL_MS = 50;
const WRITE_TIMEOUT_MS = 30_000;

const PROGRAM = fileURLToPath(new URL('profiled-main.ts', import.meta.url));
/** Sources, in the order in which they start: stages are recognized by the files of functions. */
const PROFILED = { worker: '../../../workers/main.ts', api: '../frame/service/api-main.ts' };

/** Starts the service with profilers, prepares a load, and returns the service's time by stage during the load. */
export async function profileStages<T>(
  context: BenchContext,
  env: Readonly<Record<string, string>>,
  prepare: () => Promise<unknown>,
  load: () => Promise<T>,
): Promise<{ readonly result: T; readonly stages: Readonly<Record<string, StageShares>> }> {
  const profileOf = (role: string): string => join(context.dataDir, `${role}.cpuprofile`);
  const pids: number[] = [];
  for (const [role, source] of Object.entries(PROFILED)) {
    const args = [profileOf(role), new URL(source, import.meta.url).href];
    pids.push((await startProcess(context, role, PROGRAM, env, args)).pid);
  }
  const toggle = (): void => pids.forEach((pid) => void process.kill(pid, 'SIGUSR2'));
  await prepare();
  toggle();
  const result = await load();
  toggle();
  const stages: Record<string, StageShares> = {};
  for (const role of ['api', 'worker']) {
    await written(profileOf(role));
    stages[role] = await readStages(profileOf(role));
  }
  return { result, stages };
}

/** Waits until a file exists and has stopped growing. */
async function written(file: string): Promise<void> {
  const deadline = performance.now() + WRITE_TIMEOUT_MS;
  for (let size = -1; performance.now() < deadline; await pause(POLL_MS)) {
    const now = await stat(file).then(
      (found) => found.size,
      () => 0,
    );
    if (now > 0 && now === size) return;
    size = now;
  }
  throw new Error(`${file} was not written`);
}

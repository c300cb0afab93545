import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { ProfiledService } from './service.ts';
import { readStages, type StageShares } from './stages.ts';

const POLL_MS = 50;
const WRITE_TIMEOUT_MS = 30_000;

/** Profiles the processes during a load and returns their time by stage. */
export async function profileStages<T>(
  { api, worker, profiles }: ProfiledService,
  load: () => Promise<T>,
): Promise<{ readonly result: T; readonly stages: Readonly<Record<string, StageShares>> }> {
  const toggle = (): void => {
    for (const { pid } of [api, worker]) process.kill(pid, 'SIGUSR2');
  };
  toggle();
  const result = await load();
  toggle();
  const stages: Record<string, StageShares> = {};
  for (const [name, profile] of Object.entries(profiles)) {
    await written(profile);
    stages[name] = await readStages(profile);
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

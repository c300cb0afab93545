import { setTimeout as pause } from 'node:timers/promises';
import type { FaultProxy } from '../support/fault-proxy.ts';
import { flushAll, type Mortal } from './own-engines.ts';
import type { PlannedFault } from './plan-schedule.ts';
import type { ServiceUnderFire } from './service-under-fire.ts';

/** What a schedule is played on. */
export interface Stage {
  readonly service: ServiceUnderFire;
  readonly ways: Readonly<Record<'MongoDB' | 'Redis', FaultProxy>>;
  /** Puts jobs of groups that were logged before into the queue again, in another order. */
  repeatJobs(): Promise<void>;
}

/** Plays the faults at their times; resolves when every one is over and whoever was killed serves again. */
export async function playSchedule(stage: Stage, schedule: readonly PlannedFault[]): Promise<void> {
  const busy = new Set<string>();
  await Promise.all(
    schedule.map(async (planned) => {
      await pause(planned.at);
      await play(stage, planned, busy);
    }),
  );
  for (const way of Object.values(stage.ways)) way.set({ kind: 'clear' });
}

async function play(stage: Stage, { fault, forMs }: PlannedFault, busy: Set<string>): Promise<void> {
  switch (fault.kind) {
    case 'flush':
      // The service's Redis may be frozen or away: then there is nothing to empty just now.
      return Promise.race([flushAll(stage.service.engines.database.redisUrl), pause(forMs)]);
    case 'repeat':
      return Promise.race([stage.repeatJobs(), pause(forMs)]);
    case 'weather':
      stage.ways[fault.way].set(fault.weather);
      await pause(forMs);
      return stage.ways[fault.way].set({ kind: 'clear' });
    case 'kill':
    case 'freeze':
      return alone(fault.target, busy, () => strike(stage.service, fault, forMs));
  }
}

/** Two faults of one process at a time would wait for each other. */
async function alone(target: string, busy: Set<string>, strikes: () => Promise<void>): Promise<void> {
  if (busy.has(target)) return;
  busy.add(target);
  await strikes().finally(() => busy.delete(target));
}

async function strike(
  service: ServiceUnderFire,
  { kind, target }: { readonly kind: 'kill' | 'freeze'; readonly target: string },
  forMs: number,
): Promise<void> {
  const victim = service.processes.find(({ name }) => name === target);
  if (victim === undefined) throw new Error(`there is no process ${target}`);
  if (kind === 'kill') {
    const { restarted } = await service.kill(victim);
    return restarted;
  }
  await frozen(victim, forMs);
}

async function frozen(victim: Mortal, forMs: number): Promise<void> {
  const pid = victim.pid();
  process.kill(pid, 'SIGSTOP');
  await pause(forMs);
  process.kill(pid, 'SIGCONT');
}

import { setTimeout as pause } from 'node:timers/promises';
import type { FaultProxy } from '../support/fault-proxy.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { mongoLacksSpace, redisLacksSpace } from './lack-space.ts';
import type { Load } from './load.ts';
import { flushAll, type KillableProcess } from './own-engines.ts';
import type { Fault, PlannedFault, Schedule } from './plan-schedule.ts';
import { shuffleWaitingJobs } from './reorder-jobs.ts';
import type { ServiceUnderFire } from './service-under-fire.ts';
import { beSlow } from './slow-clients.ts';

interface Stage {
  readonly service: ServiceUnderFire;
  readonly proxies: Readonly<Record<'MongoDB' | 'Redis', FaultProxy>>;
  readonly load: Load;
  readonly random: SeededRandom;
  /** Queues jobs of logged batches again, in another order. */
  repeatJobs(): Promise<void>;
}

/** Runs the faults at their times; resolves when all have ended and killed processes have restarted. */
export async function playSchedule(stage: Stage, { faults, hourAdvancesAt }: Schedule): Promise<void> {
  const busy = new Set<string>();
  if (hourAdvancesAt !== null) stage.service.clocks.toHoursEnd(hourAdvancesAt);
  await Promise.all(
    faults.map(async (planned) => {
      await pause(planned.at);
      await play(stage, planned, busy);
    }),
  );
  for (const proxy of Object.values(stage.proxies)) proxy.set({ kind: 'clear' });
}

async function play(stage: Stage, { fault, forMs }: PlannedFault, busy: Set<string>): Promise<void> {
  const { service, proxies, load } = stage;
  const { redisUrl } = service.engines.database;
  switch (fault.kind) {
    case 'flush':
      return ignoringFailure(Promise.race([flushAll(redisUrl), pause(forMs)]));
    case 'repeat':
      return ignoringFailure(Promise.race([stage.repeatJobs(), pause(forMs)]));
    case 'reorder':
      return alone('the queue', busy, () => ignoringFailure(shuffleWaitingJobs(redisUrl, forMs, stage.random)));
    case 'slow clients':
      return beSlow(service.baseUrl, load, forMs);
    case 'weather':
      proxies[fault.way].set(fault.weather);
      await pause(forMs);
      return proxies[fault.way].set({ kind: 'clear' });
    case 'clock':
      return stepped(service, fault, forMs);
    case 'no space': {
      const lacks = fault.engine === 'MongoDB' ? mongoLacksSpace : redisLacksSpace;
      return alone(fault.engine, busy, () => lacks(service, fault.bytes, () => pause(forMs)));
    }
    case 'kill':
    case 'freeze':
      return alone(fault.target, busy, () => strike(service, fault, forMs));
  }
}

/** Ignores failures: another fault may have stopped the database. */
async function ignoringFailure(work: Promise<void>): Promise<void> {
  await work.catch(() => undefined);
}

/** Skips a fault of a process that already has one: they would wait for each other. */
async function alone(target: string, busy: Set<string>, strikes: () => Promise<void>): Promise<void> {
  if (busy.has(target)) return;
  busy.add(target);
  await strikes().finally(() => busy.delete(target));
}

async function stepped(
  { clocks }: ServiceUnderFire,
  { target, byMs }: Extract<Fault, { readonly kind: 'clock' }>,
  forMs: number,
): Promise<void> {
  const names = target === 'all' ? ['api', 'worker 1', 'worker 2'] : [target];
  for (const name of names) clocks.stepAway(name, byMs);
  await pause(forMs);
  for (const name of names) clocks.stepAway(name, 0);
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

async function frozen(victim: KillableProcess, forMs: number): Promise<void> {
  const pid = victim.pid();
  process.kill(pid, 'SIGSTOP');
  await pause(forMs);
  process.kill(pid, 'SIGCONT');
}

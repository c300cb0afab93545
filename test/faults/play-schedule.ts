import { setTimeout as pause } from 'node:timers/promises';
import type { FaultProxy } from '../support/fault-proxy.ts';
import type { SeededRandom } from '../support/seeded-random.ts';
import { mongoLacksSpace, redisLacksSpace } from './lack-space.ts';
import type { Load } from './load.ts';
import { flushAll, type Mortal } from './own-engines.ts';
import type { Fault, PlannedFault, Schedule } from './plan-schedule.ts';
import { shuffleWaitingJobs } from './reorder-jobs.ts';
import type { ServiceUnderFire } from './service-under-fire.ts';
import { beSlow } from './slow-clients.ts';

/** What a schedule is played on. */
interface Stage {
  readonly service: ServiceUnderFire;
  readonly ways: Readonly<Record<'MongoDB' | 'Redis', FaultProxy>>;
  readonly load: Load;
  readonly random: SeededRandom;
  /** Puts jobs of groups that were logged before into the queue again, in another order. */
  repeatJobs(): Promise<void>;
}

/** Plays the faults at their times; resolves when every one is over and whoever was killed serves again. */
export async function playSchedule(stage: Stage, { faults, hourAdvancesAt }: Schedule): Promise<void> {
  const busy = new Set<string>();
  if (hourAdvancesAt !== null) stage.service.clocks.toHoursEnd(hourAdvancesAt);
  await Promise.all(
    faults.map(async (planned) => {
      await pause(planned.at);
      await play(stage, planned, busy);
    }),
  );
  for (const way of Object.values(stage.ways)) way.set({ kind: 'clear' });
}

async function play(stage: Stage, { fault, forMs }: PlannedFault, busy: Set<string>): Promise<void> {
  const { service, ways, load } = stage;
  const { redisUrl } = service.engines.database;
  switch (fault.kind) {
    case 'flush':
      return unlessStruck(Promise.race([flushAll(redisUrl), pause(forMs)]));
    case 'repeat':
      return unlessStruck(Promise.race([stage.repeatJobs(), pause(forMs)]));
    case 'reorder':
      return alone('the queue', busy, () => unlessStruck(shuffleWaitingJobs(redisUrl, forMs, stage.random)));
    case 'slow clients':
      return beSlow(service.baseUrl, load, forMs);
    case 'weather':
      ways[fault.way].set(fault.weather);
      await pause(forMs);
      return ways[fault.way].set({ kind: 'clear' });
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

/** An engine that another fault struck has nothing to be emptied of, and takes no jobs. */
async function unlessStruck(work: Promise<void>): Promise<void> {
  await work.catch(() => undefined);
}

/** Two faults of one process at a time would wait for each other. */
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

async function frozen(victim: Mortal, forMs: number): Promise<void> {
  const pid = victim.pid();
  process.kill(pid, 'SIGSTOP');
  await pause(forMs);
  process.kill(pid, 'SIGCONT');
}

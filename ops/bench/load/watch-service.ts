import { residentBytes } from '../frame/cpu-time.ts';
import { median } from '../frame/statistics.ts';

/** What a process held over a while, in MiB. */
export interface HeldMemory {
  readonly first: number;
  /** The median once caches and heaps have come to fit the load: from a tenth of the time to three tenths. */
  readonly early: number;
  /** The median of the last fifth. */
  readonly late: number;
  readonly most: number;
  /** Every so often, for whoever wants to see how it went. */
  readonly course: readonly number[];
}

/** What the service held while something ran. */
export interface Watched {
  readonly memory: Readonly<Record<string, HeldMemory>>;
  /** Jobs waiting or being done, at most and at the end. */
  readonly queue: { readonly most: number; readonly last: number };
}

const LOOK_EVERY_MS = 1_000;
const MIB = 1024 * 1024;

/** Looks at processes and the queue every second while `run` runs. */
export async function watchService<T>(
  pids: Readonly<Record<string, number>>,
  metricsUrl: string,
  run: () => Promise<T>,
): Promise<{ readonly value: T; readonly watched: Watched }> {
  const memory = new Map<string, number[]>(Object.keys(pids).map((name) => [name, []]));
  const queue: number[] = [];
  const look = async (): Promise<void> => {
    for (const [name, pid] of Object.entries(pids)) memory.get(name)?.push((await residentBytes(pid)) / MIB);
    queue.push(await waitingJobs(metricsUrl));
  };
  await look();
  let looking = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, LOOK_EVERY_MS);
  try {
    const value = await run();
    clearInterval(timer);
    await looking;
    await look();
    const held = [...memory].map(([name, seen]) => [name, heldOf(seen)] as const);
    return {
      value,
      watched: { memory: Object.fromEntries(held), queue: { most: Math.max(...queue), last: queue.at(-1) ?? 0 } },
    };
  } finally {
    clearInterval(timer);
  }
}

/** How many numbers tell the course of a load. */
const COURSE_STEPS = 20;

function heldOf(seen: readonly number[]): HeldMemory {
  const between = (from: number, until: number): readonly number[] =>
    seen.slice(Math.floor(from * (seen.length - 1)), Math.floor(until * (seen.length - 1)) + 1);
  const course = Array.from({ length: COURSE_STEPS }, (_, step) =>
    between(step / COURSE_STEPS, (step + 1) / COURSE_STEPS),
  );
  return {
    first: Math.round(seen[0] ?? 0),
    early: Math.round(median(between(0.1, 0.3))),
    late: Math.round(median(between(0.8, 1))),
    most: Math.round(Math.max(...seen)),
    course: course.map((some) => Math.round(median(some))),
  };
}

/** Jobs of the ingest queue that wait or are being done, as the api's metrics tell. */
async function waitingJobs(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  const lines = text.matchAll(/^upsilon_queue_jobs\{[^}]*queue="ingest"[^}]*state="(?:waiting|active)"[^}]*\} (\d+)/gm);
  return [...lines].reduce((sum, [, jobs]) => sum + Number(jobs), 0);
}

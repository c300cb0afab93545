import { MIB } from '../../../config/units.ts';
import { residentBytes } from '../frame/cpu-time.ts';
import { median } from '../frame/statistics.ts';

/** Memory of a process during a run, in MiB. */
export interface HeldMemory {
  readonly first: number;
  /** The median after warm-up, from a tenth to three tenths of the time. */
  readonly early: number;
  /** The median of the last fifth. */
  readonly late: number;
  readonly most: number;
  /** Medians of equal time slices. */
  readonly course: readonly number[];
}

/** Memory and queue of the service during a run. */
export interface Watched {
  readonly memory: Readonly<Record<string, HeldMemory>>;
  /** Waiting and active jobs: maximum and at the end. */
  readonly queue: { readonly most: number; readonly last: number };
}

const SAMPLE_INTERVAL_MS = 1_000;

/** Samples the processes and the queue every second while `run` runs. */
export async function watchService<T>(
  pids: Readonly<Record<string, number>>,
  metricsUrl: string,
  run: () => Promise<T>,
): Promise<{ readonly value: T; readonly watched: Watched }> {
  const memory = new Map<string, number[]>(Object.keys(pids).map((name) => [name, []]));
  const queue: number[] = [];
  const sample = async (): Promise<void> => {
    for (const [name, pid] of Object.entries(pids)) memory.get(name)?.push((await residentBytes(pid)) / MIB);
    queue.push(await waitingJobs(metricsUrl));
  };
  await sample();
  let sampling = Promise.resolve();
  const timer = setInterval(() => {
    sampling = sampling.then(sample);
  }, SAMPLE_INTERVAL_MS);
  try {
    const value = await run();
    clearInterval(timer);
    await sampling;
    await sample();
    const held = [...memory].map(([name, seen]) => [name, heldOf(seen)] as const);
    return {
      value,
      watched: { memory: Object.fromEntries(held), queue: { most: Math.max(...queue), last: queue.at(-1) ?? 0 } },
    };
  } finally {
    clearInterval(timer);
  }
}

/** Time slices of `course`. */
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

/** Waiting and active jobs of the ingest queue, from the api's metrics. */
async function waitingJobs(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  const lines = text.matchAll(/^upsilon_queue_jobs\{[^}]*queue="ingest"[^}]*state="(?:waiting|active)"[^}]*\} (\d+)/gm);
  return [...lines].reduce((sum, [, jobs]) => sum + Number(jobs), 0);
}

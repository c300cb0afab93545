import { MIB } from '../../../config/units.ts';
import { residentBytes } from '../frame/cpu-time.ts';
import { repeatedly } from '../frame/repeatedly.ts';
import { median, sum } from '../frame/statistics.ts';

const SAMPLE_INTERVAL_MS = 1_000;

/** Memory and queue of the service during a run. */
export type Watched = Awaited<ReturnType<typeof watchService>>['watched'];

/** Samples the processes and the queue every second while `run` runs. */
export async function watchService<T>(
  pids: Readonly<Record<string, number>>,
  metricsUrl: string,
  run: () => Promise<T>,
) {
  const memory = new Map<string, number[]>(Object.keys(pids).map((name) => [name, []]));
  const queue: number[] = [];
  const sample = async (): Promise<void> => {
    for (const [name, pid] of Object.entries(pids)) memory.get(name)?.push((await residentBytes(pid)) / MIB);
    queue.push(await waitingJobs(metricsUrl));
  };
  await sample();
  const sampling = repeatedly(SAMPLE_INTERVAL_MS, sample);
  const value = await run();
  await sampling.end();
  await sample();
  const held = Object.fromEntries([...memory].map(([name, seen]) => [name, heldOf(seen)]));
  /** Waiting and active jobs: maximum and at the end. */
  const jobs = { most: Math.max(...queue), last: queue.at(-1) ?? 0 };
  return { value, watched: { memory: held, queue: jobs } };
}

/** Time slices of `course`. */
const COURSE_STEPS = 20;

/** Memory of a process during a run, in MiB. */
function heldOf(seen: readonly number[]) {
  const between = (from: number, until: number): number =>
    Math.round(median(seen.slice(Math.floor(from * (seen.length - 1)), Math.floor(until * (seen.length - 1)) + 1)));
  return {
    first: Math.round(seen[0] ?? 0),
    /** The median after warm-up, from a tenth to three tenths of the time. */
    early: between(0.1, 0.3),
    /** The median of the last fifth. */
    late: between(0.8, 1),
    most: Math.round(Math.max(...seen)),
    /** Medians of equal time slices. */
    course: Array.from({ length: COURSE_STEPS }, (_, step) => between(step / COURSE_STEPS, (step + 1) / COURSE_STEPS)),
  };
}

/** Waiting and active jobs of the ingest queue, from the api's metrics. */
async function waitingJobs(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  const lines = text.matchAll(/^upsilon_queue_jobs\{[^}]*queue="ingest"[^}]*state="(?:waiting|active)"[^}]*\} (\d+)/gm);
  return sum([...lines].map(([, jobs]) => Number(jobs)));
}

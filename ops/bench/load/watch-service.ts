import { residentBytes } from '../frame/cpu-time.ts';

/** What a process held over a while: at its beginning, its end, and at most, in MiB. */
export interface HeldMemory {
  readonly first: number;
  readonly last: number;
  readonly most: number;
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

function heldOf(seen: readonly number[]): HeldMemory {
  const [first = 0, last = 0, most = 0] = [seen[0], seen.at(-1), Math.max(...seen)].map((one) => Math.round(one ?? 0));
  return { first, last, most };
}

/** Jobs of the ingest queue that wait or are being done, as the api's metrics tell. */
async function waitingJobs(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  const lines = text.matchAll(/^upsilon_queue_jobs\{[^}]*queue="ingest"[^}]*state="(?:waiting|active)"[^}]*\} (\d+)/gm);
  return [...lines].reduce((sum, [, jobs]) => sum + Number(jobs), 0);
}

import { setTimeout as pauseFor } from 'node:timers/promises';
import { methodologyOf, type RankingContext } from '../context.ts';
import { type BoardKeys, orderRunOf, sortKeysCooperatively, WINDOW_COUNT } from '../core/board/index.ts';
import { runCooperatively } from '../run-cooperatively.ts';
import { type PlatformBoards, type PlatformRun, platformBaseId } from '../storage/board-manifest.ts';
import { randomId } from '../storage/unique-id.ts';
import { collectPlatforms } from './platform-keys.ts';

const LEASE = 'platforms';
/** How long others wait after a process dies in a run. */
const LEASE_MS = 120_000;
/** The longest time between two renewals of the lease, but for a step. */
const LONGEST_PAUSE_MS = 20_000;
/** Records per query: scoring them blocks the event loop for some milliseconds. */
const RECORDS_PER_READ = 2_000;
/** A step is followed by a pause of so many times its duration: a run takes at most a tenth of one core. */
const PAUSED_TIMES = 9;

/** By what a run is slowed down. Times are in milliseconds. */
export interface Pace {
  /** A monotonic clock. */
  readonly now: () => number;
  /** Rejects when the signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

const PACE: Pace = { now: () => performance.now(), pause: (ms, signal) => pauseFor(ms, undefined, { signal }) };

/**
 * `unchanged`: nothing was committed since the last run began. `busy`: another process ranks. `overtaken`: another process began a
 * run, because this one stalled. `aborted`: the next run starts from the beginning.
 */
export type PlatformsOutcome = 'published' | 'unchanged' | 'busy' | 'overtaken' | 'aborted';

interface Run extends PlatformRun {
  /** Does a step and pauses; throws when the lease is lost or the signal aborted. */
  readonly step: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/**
 * Ranks operators by the counts of each platform alone, and publishes these boards together. A run is named in the manifest before it
 * reads a record, which keeps its base runs from garbage collection; a run that was cut off is replaced by the next, and only the
 * named one can publish.
 */
export async function rankPlatforms(
  context: RankingContext,
  signal: AbortSignal = new AbortController().signal,
  pace: Pace = PACE,
): Promise<PlatformsOutcome> {
  const { leases } = context.stores;
  const holder = randomId();
  const until = () => new Date(context.clock() + LEASE_MS);
  if (!(await isDue(context))) return 'unchanged';
  if (!(await leases.acquire(LEASE, holder, new Date(context.clock()), until()))) return 'busy';
  try {
    const begun = await begin(context);
    if (begun === null) return 'unchanged';
    await context.failpoint('platforms.begun');
    const step: Run['step'] = async (work) => {
      signal.throwIfAborted();
      const started = pace.now();
      const result = await work();
      let left = PAUSED_TIMES * (pace.now() - started);
      do {
        await pace.pause(Math.min(left, LONGEST_PAUSE_MS), signal);
        if (!(await leases.renew(LEASE, holder, until()))) throw new Error('another process ranks platforms');
        left -= LONGEST_PAUSE_MS;
      } while (left > 0);
      return result;
    };
    const bases = await writeBases(context, { ...begun, step });
    await context.failpoint('platforms.written');
    return (await publish(context, begun, bases)) ? 'published' : 'overtaken';
  } catch (error) {
    if (signal.aborted) return 'aborted';
    throw error;
  } finally {
    await leases.release(LEASE, holder);
  }
}

async function isDue({ stores }: RankingContext): Promise<boolean> {
  const manifest = await stores.board.read();
  return manifest !== null && manifest.platforms?.commits !== manifest.commits;
}

/** Names a run in the manifest; null when nothing was committed since the last one began. */
async function begin({ stores, clock }: RankingContext): Promise<PlatformRun | null> {
  for (;;) {
    const manifest = await stores.board.read();
    if (manifest === null || manifest.platforms?.commits === manifest.commits) return null;
    const { version, methodology, commits } = manifest;
    const run = {
      id: `platforms-${version}-${randomId()}`,
      began_at: new Date(clock()),
      methodology,
      version,
      commits,
    };
    if ((await stores.board.advance(manifest, { platformRun: run })) !== null) return run;
  }
}

/** Reads all records once, and writes the base run of each platform that has rows; returns their ids by platform. */
async function writeBases(context: RankingContext, run: Run): Promise<PlatformBoards['bases']> {
  const { stores, failpoint, rangeOperators } = context;
  const { platforms, keysOf, add } = collectPlatforms(methodologyOf(context, run));
  const last = (await stores.operators.highestNumber()) ?? 0;
  const range = Math.min(RECORDS_PER_READ, rangeOperators);
  for (let from = 1; from <= last; from += range) {
    await run.step(async () => add(await stores.operators.platformTotalsBetween(from, from + range)));
    await failpoint('platforms.range_read');
  }
  const bases: Record<string, string> = {};
  for (const platform of platforms()) {
    const id = platformBaseId(run.id, platform);
    await run.step(() => writeBase(context, run, id, (window) => keysOf(platform, window)));
    bases[platform] = id;
  }
  return bases;
}

async function writeBase(
  { stores, clock, failpoint }: RankingContext,
  { version, methodology }: PlatformRun,
  id: string,
  keysOf: (window: number) => BoardKeys,
): Promise<void> {
  const sorted: BoardKeys[] = [];
  for (let window = 0; window < WINDOW_COUNT; window++) {
    sorted.push(await runCooperatively(sortKeysCooperatively(keysOf(window))));
  }
  const built = orderRunOf(sorted);
  const facts = { version, lastSegment: id, hour: 0, methodology, created_at: new Date(clock()) };
  await stores.parts.writeBaseRun(id, built, facts);
  await failpoint('platforms.base_written');
  await stores.parts.writePages(id, built);
  await failpoint('platforms.pages_written');
}

/** Publishes the boards of a run, and deletes those before the former; false when the manifest names another run. */
async function publish(
  { stores, clock, failpoint }: RankingContext,
  { id, ...facts }: PlatformRun,
  bases: PlatformBoards['bases'],
): Promise<boolean> {
  for (;;) {
    const manifest = await stores.board.read();
    if (manifest?.platformRun?.id !== id) return false;
    const former = Object.values(manifest.platforms?.bases ?? {});
    const platforms = { ...facts, board_at: new Date(clock()), bases, former };
    if ((await stores.board.advance(manifest, { platforms, platformRun: null })) === null) continue;
    await failpoint('platforms.published');
    // No manifest can name them again. The former ones stay for readers that have not seen this version.
    const deleted = manifest.platforms?.former ?? [];
    await stores.parts.removePages(deleted);
    await failpoint('platforms.pages_deleted');
    await stores.parts.remove('bases', deleted);
    return true;
  }
}

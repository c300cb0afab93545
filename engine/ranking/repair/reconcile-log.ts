import type { RankingContext } from '../context.ts';
import { timeOf } from '../storage/unique-id.ts';

/** A group younger than this may still be on its way to its job. */
const SETTLING_MS = 5_000;
/** Groups are named by the clocks of the processes that write the log, which may be late or asleep by this much. */
const OVERLAP_MS = 2 * 60_000;
/** Once an hour the walk goes this far back, for groups whose writer slept longer. */
const DEEP_WALK_MS = 25 * 3_600_000;
const DEEP_WALK_EVERY_MS = 3_600_000;
/** The log is walked in slices of this length: the names of a slice's groups fit one answer of the store. */
const SLICE_MS = 10 * 60_000;

/** Makes sure that a group has a job that is alive: looks its state up, retries a failed one, adds a missing one. */
export type EnsureJob = (batch: string) => Promise<void>;

/**
 * Finds groups in the log that have no verdict and gives each a live job: this is what refills a lost queue. Answers how
 * many there were.
 */
export async function reconcileLog(
  { stores, clock, report, failpoint }: RankingContext,
  ensureJob: EnsureJob,
): Promise<number> {
  const now = clock();
  const until = now - SETTLING_MS;
  const from = await walkFrom(stores.progress, now);
  // A group with a name from the future was written by a clock that was set back since: it need not wait for its time.
  const ahead = await undecidedBetween(stores, now + OVERLAP_MS, Number.POSITIVE_INFINITY);
  const undecided = await undecidedBetween(stores, from, until);
  const found = [...undecided, ...ahead];
  for (const batch of found) await ensureJob(batch);
  await failpoint('reconcile.queued');
  report.withoutVerdict(found.length === 0 ? 0 : await stores.log.countIn(found));
  const [oldest] = undecided;
  const decidedUntil = oldest === undefined ? until : timeOf(oldest);
  await stores.progress.write('reconcile.from', String(Math.min(decidedUntil, until) - OVERLAP_MS));
  return found.length;
}

/** The groups made in [from, until) that have no verdict, oldest first. */
async function undecidedBetween(stores: RankingContext['stores'], from: number, until: number): Promise<string[]> {
  const undecided: string[] = [];
  for (let slice = from; ; slice += SLICE_MS) {
    // Straight to the next group there is: most of a long walk leads over quiet hours.
    slice = Math.max(slice, (await stores.log.nextBatchAt(slice)) ?? until);
    if (slice >= until) return undecided;
    const batches = await stores.log.batchesBetween(slice, Math.min(slice + SLICE_MS, until));
    undecided.push(...(await stores.verdicts.missing(batches)));
  }
}

async function walkFrom(progress: RankingContext['stores']['progress'], now: number): Promise<number> {
  const deepAt = Number((await progress.read('reconcile.deep_at')) ?? 0);
  if (now - deepAt >= DEEP_WALK_EVERY_MS || now < deepAt) {
    await progress.write('reconcile.deep_at', String(now));
    return now - DEEP_WALK_MS;
  }
  return Number((await progress.read('reconcile.from')) ?? now - DEEP_WALK_MS);
}

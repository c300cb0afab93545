import { HOUR_MS, MS_PER_SECOND } from '../../../config/units.ts';
import type { RankingContext } from '../context.ts';
import { isTimeOrdered, timeOf } from '../storage/unique-id.ts';

/** A batch younger than this may not have been queued yet. */
const SETTLING_MS = 5_000;
/** Batch ids carry the clock of the process that writes the log, which may be late or paused by this much. */
const OVERLAP_MS = 2 * 60_000;
/** Once an hour the scan goes this far back, for batches whose writer was paused longer. */
const DEEP_WALK_MS = 25 * HOUR_MS;
const DEEP_WALK_EVERY_MS = HOUR_MS;
/** The log is scanned in slices of this length: a slice's batch ids fit one reply. */
const SLICE_MS = 10 * 60_000;

/** Dirty sets among which the oldest batch is looked for: a batch that was processed late may be in a later set. */
const MAX_DIRTY_SETS = 1_000;

/** Batches with ids from the future, or of another form, in a run. */
const MAX_AHEAD = 1_000;

/** Ensures that a batch has a live job: retries a failed one, adds a missing one. */
export type EnsureJob = (batch: string) => Promise<void>;

/**
 * Finds batches without verdicts and ensures that each has a live job. This is what refills a lost queue. Returns their
 * count. Batches whose id states no time were not written by this service: they are reported, and not waited for.
 */
export async function reconcileLog(
  { stores, clock, report, failpoint }: RankingContext,
  ensureJob: EnsureJob,
): Promise<number> {
  const now = clock();
  const until = now - SETTLING_MS;
  const from = await scanStart(stores.progress, now);
  // A batch id from the future comes from a clock that was set back since; do not wait for that time.
  const ahead = await stores.verdicts.missing(await stores.log.batchesAfter(now + OVERLAP_MS, MAX_AHEAD));
  const undecided = await undecidedBetween(stores, from, until);
  const found = [...undecided, ...ahead.filter(isTimeOrdered)];
  const malformed = ahead.filter((batch) => !isTimeOrdered(batch));
  if (malformed.length > 0) report.malformed?.(malformed);
  for (const batch of found) await ensureJob(batch);
  await failpoint('reconcile.queued');
  report.withoutVerdict?.(found.length === 0 ? 0 : await stores.log.countIn(found));
  const [oldest] = undecided;
  report.oldestUnshown?.(await ageOfOldestUnshown(stores, oldest, now));
  const decided = oldest === undefined ? until : timeOf(oldest);
  await stores.progress.write('reconcile.from', String(Math.min(decided, until) - OVERLAP_MS));
  return found.length;
}

/**
 * Age in seconds of the oldest batch that is on no board: without a verdict, or decided and waiting for a commit. Call it after
 * the undecided batches were read: a batch is in a dirty set before it has its verdict.
 */
async function ageOfOldestUnshown(
  { dirtySets }: RankingContext['stores'],
  oldestUndecided: string | undefined,
  now: number,
): Promise<number> {
  const waiting = (await dirtySets.oldest(MAX_DIRTY_SETS)).flatMap(({ batch }) => batch ?? []);
  const times = [...waiting, ...(oldestUndecided === undefined ? [] : [oldestUndecided])]
    .map(timeOf)
    .filter(Number.isFinite);
  return Math.max(0, now - Math.min(now, ...times)) / MS_PER_SECOND;
}

/** Batches created in [from, until) without verdicts, oldest first. */
async function undecidedBetween(stores: RankingContext['stores'], from: number, until: number): Promise<string[]> {
  const undecided: string[] = [];
  for (let slice = from; ; slice += SLICE_MS) {
    // Skip to the next existing batch: a long scan covers mostly quiet hours.
    slice = Math.max(slice, (await stores.log.nextBatchAt(slice)) ?? until);
    if (slice >= until) return undecided;
    const batches = await stores.log.batchesBetween(slice, Math.min(slice + SLICE_MS, until));
    undecided.push(...(await stores.verdicts.missing(batches)));
  }
}

async function scanStart(progress: RankingContext['stores']['progress'], now: number): Promise<number> {
  const deepAt = Number((await progress.read('reconcile.deep_at')) ?? 0);
  const known = Number((await progress.read('reconcile.from')) ?? now - DEEP_WALK_MS);
  if (now - deepAt < DEEP_WALK_EVERY_MS && now >= deepAt) return known;
  await progress.write('reconcile.deep_at', String(now));
  // An undecided batch may be older.
  return Math.min(known, now - DEEP_WALK_MS);
}

import { isDeepStrictEqual } from 'node:util';
import { MS_PER_SECOND } from '../../../config/units.ts';
import { WINDOWS } from '../../contract/windows.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { applySegment, makeSegment, type YieldChange } from '../core/board/index.ts';
import { hourOf } from '../core/operator-state/index.ts';
import { rankedIn } from '../read/board-state.ts';
import type { ManifestDocument } from '../storage/board-manifest.ts';
import type { DirtySetDocument } from '../storage/dirty-sets.ts';
import type { OperatorSummary } from '../storage/operators.ts';
import { randomId, timeOf } from '../storage/unique-id.ts';
import { planTopEntries } from './plan-top-entries.ts';
import type { PublishedBoard, PublishedBoardSource } from './published-board.ts';
import { changeOf, scoreOperators } from './score-operators.ts';

const DIRTY_SETS_PER_COMMIT = 64;

/** `idle`: nothing to do. `published`: a new version. `overtaken`: another process published first; nothing is lost. */
export type CommitOutcome = 'idle' | 'published' | 'overtaken';

export interface CommitResult {
  readonly outcome: CommitOutcome;
  /** The argument of the next commit. */
  readonly board: PublishedBoard;
  /** Whether dirty sets may be left for the next commit. */
  readonly more: boolean;
}

/**
 * Publishes one board version with the operators of the oldest dirty sets, and with the next hour once no operator is due
 * for it. Its cost grows with the number of changes. Everything before the manifest write can be repeated; a failed
 * compare-and-set on the manifest changes nothing.
 */
export async function commitBoard(
  context: RankingContext,
  source: PublishedBoardSource,
  former: PublishedBoard | null,
): Promise<CommitResult> {
  const { stores, clock, failpoint } = context;
  const started = performance.now();
  const board = await source.newest(former);
  const hour = await hourToPublish(context, board.state.manifest);
  const dirtySets = await stores.dirtySets.oldest(DIRTY_SETS_PER_COMMIT);
  const more = dirtySets.length === DIRTY_SETS_PER_COMMIT;
  const [oldest] = dirtySets;
  context.report.oldestChangeWait?.(
    oldest === undefined ? 0 : Math.max(0, clock() - timeOf(oldest._id)) / MS_PER_SECOND,
  );
  const advancesHour = hour > board.state.manifest.hour && !more;
  if (dirtySets.length === 0 && !advancesHour) return { outcome: 'idle', board, more };
  const plan = await planCommit(
    context,
    source,
    board,
    operatorsOf(dirtySets),
    advancesHour ? hour : board.state.manifest.hour,
  );
  await failpoint('commit.scored');
  await recordCatchUp(context, board.state.manifest, dirtySets);
  const sameTopEntries = isDeepStrictEqual(plan.topEntries.windows, board.topEntries);
  if (plan.segment.operators.length === 0 && sameTopEntries && !advancesHour && !plan.heldChanged) {
    // Another committer may have read earlier versions of these records: advancing the manifest makes its write fail.
    const { commits } = board.state.manifest;
    const manifest = await stores.board.advance(board.state.manifest, { commits: commits + 1 });
    if (manifest === null) return { outcome: 'overtaken', board, more: true };
    await stores.dirtySets.remove(dirtySets);
    return { outcome: 'idle', board: { ...board, state: { ...board.state, manifest } }, more };
  }
  const manifest = await writeVersion(context, board, plan, sameTopEntries);
  if (manifest === null) return { outcome: 'overtaken', board, more: true };
  await failpoint('commit.manifest_written');
  await stores.dirtySets.remove(dirtySets);
  await failpoint('commit.dirty_sets_forgotten');
  board.table.apply(plan.segment);
  const seconds = (performance.now() - started) / 1_000;
  const operators = plan.segment.operators.length;
  const batches = dirtySets.flatMap(({ batch }) => batch ?? []);
  const traces = dirtySets.flatMap(({ trace }) => trace ?? []);
  const generatedAt = clock();
  const batchSeconds = batches.map((batch) => Math.max(0, generatedAt - timeOf(batch)) / MS_PER_SECOND);
  const { version } = manifest;
  context.report.committed?.({ seconds, operators, version, generatedAt, batches, batchSeconds, traces });
  const state = { ...plan.next, manifest };
  return { outcome: 'published', board: { state, table: board.table, topEntries: plan.topEntries.windows }, more };
}

/**
 * Logs the operators of the dirty sets that the commit after `manifest` is about to take, while a re-rank runs or a rollback
 * is possible. Call it before that version is published: at any time a change is then in a dirty set or in the log.
 */
async function recordCatchUp(
  { stores, failpoint }: RankingContext,
  manifest: ManifestDocument,
  dirtySets: readonly DirtySetDocument[],
): Promise<void> {
  const isNeeded = (manifest.rerank ?? null) !== null || (manifest.former ?? null) !== null;
  if (!isNeeded || dirtySets.length === 0) return;
  await stores.catchUpLog.add(manifest.version + 1, operatorsOf(dirtySets));
  await failpoint('catch_up.written');
}

/** The hour of the next version: the clock's, or the present one while operators are still due for it. */
async function hourToPublish({ stores, clock }: RankingContext, manifest: ManifestDocument): Promise<number> {
  const hour = hourOf(clock());
  if (hour <= manifest.hour) return manifest.hour;
  // Read due operators before pending intents: an operator leaves `due` only after its intent is written.
  const due = await stores.operators.due(hour, 1);
  if (due.length > 0 || (await stores.dirtySets.anyPrepared())) return manifest.hour;
  return hour;
}

function operatorsOf(dirtySets: readonly DirtySetDocument[]): Set<number> {
  return new Set(dirtySets.flatMap(({ operators }) => operators));
}

/**
 * Scores the operators and plans the next version, including operators found to be stale on the way. A top entry and the
 * Yield in the segment come from the same read of the record: when a record changes between two reads, the later one
 * counts for both and is not read again, so that the loop ends under any number of concurrent writes.
 */
async function planCommit(
  context: RankingContext,
  source: PublishedBoardSource,
  board: PublishedBoard,
  operators: Set<number>,
  hour: number,
) {
  const { stores, failpoint } = context;
  const { manifest, base, delta } = board.state;
  const methodology = methodologyOf(context, manifest);
  const changes = new Map<number, YieldChange>();
  let known: ReadonlyMap<number, OperatorSummary> = new Map();
  let heldChanged = false;
  for (let unscored: ReadonlySet<number> = operators; ; ) {
    const scored = await scoreOperators(stores, board.table, methodology, unscored);
    heldChanged ||= scored.heldChanged;
    for (const change of scored.changes) changes.set(change.operator, change);
    await failpoint('commit.yields_read');
    const segment = makeSegment([...changes.values()]);
    const next = { manifest: { ...manifest, hour }, base, delta: applySegment(delta, segment) };
    const topEntries = await planTopEntries(stores.operators, source, {
      next,
      methodology,
      former: board.topEntries,
      dirty: operators,
      known,
      segment,
      rebuildAll: hour > manifest.hour,
    });
    if (topEntries.stale.length === 0) return { segment, next, topEntries, heldChanged };
    known = topEntries.records;
    const unread = new Set<number>();
    for (const operator of topEntries.stale) {
      operators.add(operator);
      const record = known.get(operator);
      if (record === undefined) unread.add(operator);
      else changes.set(operator, changeOf(record, board.table, methodology));
    }
    unscored = unread;
  }
}

/** Writes the version's parts, then its manifest by compare-and-set; null when another version was published first. */
async function writeVersion(
  { stores, clock, failpoint }: RankingContext,
  { state: { manifest } }: PublishedBoard,
  { segment, next, topEntries }: Awaited<ReturnType<typeof planCommit>>,
  sameTopEntries: boolean,
): Promise<ManifestDocument | null> {
  const now = new Date(clock());
  const version = manifest.version + 1;
  const id = `${version}-${randomId()}`;
  const changed = segment.operators.length > 0;
  await Promise.all([
    changed ? stores.parts.writeSegment(id, segment, now) : null,
    sameTopEntries ? null : stores.parts.writeTopEntries(id, topEntries.windows, now),
  ]);
  await failpoint('commit.parts_written');
  return stores.board.advance(manifest, {
    hour: next.manifest.hour,
    segments: changed ? [...manifest.segments, { id, from: version, to: version, lastSegment: id }] : manifest.segments,
    topEntries: sameTopEntries ? manifest.topEntries : id,
    totals: WINDOWS.map((_, window) => rankedIn(next, window)),
    commits: manifest.commits + 1,
    generated_at: now,
  });
}

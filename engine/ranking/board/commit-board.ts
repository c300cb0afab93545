import { isDeepStrictEqual } from 'node:util';
import { WINDOWS } from '../../contract/windows.ts';
import type { RankingContext } from '../context.ts';
import { applySegment, makeSegment, type Segment, type YieldChange } from '../core/board/index.ts';
import { hourOf } from '../core/operator-state/index.ts';
import { methodologyOf } from '../methodology-of.ts';
import { type BoardState, rankedIn } from '../read/board-state.ts';
import type { DirtySetDocument, ManifestDocument } from '../storage/documents.ts';
import type { OperatorSummary } from '../storage/operator-store.ts';
import { randomId, timeOf } from '../storage/unique-id.ts';
import { planTopEntries, type TopEntriesPlan } from './plan-top-entries.ts';
import type { PublishedBoard, PublishedBoardSource } from './published-board.ts';
import { recordCatchUp } from './record-catch-up.ts';
import { changeOf, scoreOperators } from './score-operators.ts';

const MS_PER_SECOND = 1_000;
/** Change lists taken by one commit. */
const SETS_A_COMMIT = 64;

/** `idle`: nothing to do. `published`: a new version. `overtaken`: another committer was faster; nothing is lost. */
export type CommitOutcome = 'idle' | 'published' | 'overtaken';

export interface CommitResult {
  readonly outcome: CommitOutcome;
  /** What to give to the next commit. */
  readonly board: PublishedBoard;
  /** Whether lists were left for the next commit. */
  readonly more: boolean;
}

interface Plan {
  readonly segment: Segment;
  readonly next: BoardState;
  readonly topEntries: TopEntriesPlan;
}

/**
 * Publishes one board version with what the oldest change lists name, and the next hour once no operator is due for it.
 * Costs by what changed. Everything before the root is written can be repeated; a root that lost its race changes nothing.
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
  const lists = await stores.dirtySets.oldest(SETS_A_COMMIT);
  const more = lists.length === SETS_A_COMMIT;
  const [oldest] = lists;
  context.report.oldestChangeWait(oldest === undefined ? 0 : Math.max(0, clock() - timeOf(oldest._id)) / MS_PER_SECOND);
  const turns = hour > board.state.manifest.hour && !more;
  if (lists.length === 0 && !turns) return { outcome: 'idle', board, more };
  const plan = await planCommit(context, source, board, operatorsOf(lists), turns ? hour : board.state.manifest.hour);
  await failpoint('commit.scored');
  await recordCatchUp(context, board.state.manifest, lists);
  const sameTopEntries = isDeepStrictEqual(plan.topEntries.windows, board.topEntries);
  if (plan.segment.operators.length === 0 && sameTopEntries && !turns) {
    // A committer that read these records before they became what the board says could still publish: not on this root.
    const manifest = await stores.board.advance(board.state.manifest, {});
    if (manifest === null) return { outcome: 'overtaken', board, more: true };
    await stores.dirtySets.remove(lists);
    return { outcome: 'idle', board: { ...board, state: { ...board.state, manifest } }, more };
  }
  const manifest = await writeVersion(context, board, plan, sameTopEntries);
  if (manifest === null) return { outcome: 'overtaken', board, more: true };
  await failpoint('commit.manifest_written');
  await stores.dirtySets.remove(lists);
  await failpoint('commit.dirty_sets_forgotten');
  board.table.apply(plan.segment);
  const seconds = (performance.now() - started) / 1_000;
  const operators = plan.segment.operators.length;
  const batches = lists.flatMap(({ batch }) => batch ?? []);
  const traces = lists.flatMap(({ trace }) => trace ?? []);
  context.report.committed({ seconds, operators, version: manifest.version, generatedAt: clock(), batches, traces });
  return { outcome: 'published', board: publishedAs(board, plan, manifest), more };
}

function publishedAs(
  { table }: PublishedBoard,
  { next, topEntries }: Plan,
  manifest: ManifestDocument,
): PublishedBoard {
  return { state: { ...next, manifest }, table, topEntries: topEntries.windows };
}

/** The hour that the next version may be true for: the clock's, unless somebody's totals still have to move for it. */
async function hourToPublish({ stores, clock }: RankingContext, manifest: ManifestDocument): Promise<number> {
  const hour = hourOf(clock());
  if (hour <= manifest.hour) return manifest.hour;
  // In this order: whoever is no longer due was announced before, so a list that is not held by now is there to be read.
  const due = await stores.operators.due(hour, 1);
  if (due.length > 0 || (await stores.dirtySets.anyPrepared())) return manifest.hour;
  return hour;
}

function operatorsOf(lists: readonly DirtySetDocument[]): Set<number> {
  return new Set(lists.flatMap(({ operators }) => operators));
}

/**
 * Scores the operators and lays out the next version; takes in whoever turns out to have moved as well. A top entry and the
 * Yield beside it come from one reading of the record: of an operator who moved between two readings the later counts for
 * both, and is not read again, so that this ends however much is folded meanwhile.
 */
async function planCommit(
  context: RankingContext,
  source: PublishedBoardSource,
  board: PublishedBoard,
  operators: Set<number>,
  hour: number,
): Promise<Plan> {
  const { stores, failpoint } = context;
  const { manifest, base, delta } = board.state;
  const methodology = methodologyOf(context, manifest);
  const changes = new Map<number, YieldChange>();
  let known: ReadonlyMap<number, OperatorSummary> = new Map();
  for (let unscored: ReadonlySet<number> = operators; ; ) {
    for (const change of await scoreOperators(stores.operators, board.table, methodology, unscored)) {
      changes.set(change.operator, change);
    }
    await failpoint('commit.yields_read');
    const segment = makeSegment([...changes.values()]);
    const next = { manifest: { ...manifest, hour }, base, delta: applySegment(delta, segment) };
    const topEntries = await planTopEntries(stores.operators, source, {
      next,
      methodology,
      former: board.topEntries,
      moved: operators,
      known,
      segment,
      anew: hour > manifest.hour,
    });
    if (topEntries.stale.length === 0) return { segment, next, topEntries };
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

/** Writes what the version needs and then, by compare-and-set, its root; null when another version came first. */
async function writeVersion(
  { stores, clock, failpoint }: RankingContext,
  { state: { manifest } }: PublishedBoard,
  { segment, next, topEntries }: Plan,
  sameTopEntries: boolean,
): Promise<ManifestDocument | null> {
  const now = new Date(clock());
  const version = manifest.version + 1;
  const name = `${version}-${randomId()}`;
  const changed = segment.operators.length > 0;
  await Promise.all([
    changed ? stores.parts.writeSegment(name, segment, now) : null,
    sameTopEntries ? null : stores.parts.writeTopEntries(name, topEntries.windows, now),
  ]);
  await failpoint('commit.parts_written');
  return stores.board.advance(manifest, {
    hour: next.manifest.hour,
    segments: changed
      ? [...manifest.segments, { id: name, from: version, to: version, lastSegment: name }]
      : manifest.segments,
    topEntries: sameTopEntries ? manifest.topEntries : name,
    totals: WINDOWS.map((_, window) => rankedIn(next, window)),
    generated_at: now,
  });
}

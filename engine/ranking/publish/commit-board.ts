import { isDeepStrictEqual } from 'node:util';
import { WINDOWS } from '../../contract/windows.ts';
import type { RankingContext } from '../context.ts';
import { applySegment, makeSegment, type Segment, type YieldChange } from '../core/board/index.ts';
import { hourOf } from '../core/standing/index.ts';
import { methodologyOf } from '../methodology-of.ts';
import type { ChangeListDocument, RootDocument } from '../mongo/documents.ts';
import type { OperatorSummary } from '../mongo/operator-store.ts';
import { randomName, timeOf } from '../mongo/unique-id.ts';
import { type BoardState, rankedIn } from '../read/board-state.ts';
import { keepTrail } from '../rerank/keep-trail.ts';
import { planTops, type TopsPlan } from './plan-tops.ts';
import type { PublishedBoard, PublishedBoardSource } from './published-board.ts';
import { changeOf, scoreOperators } from './score-operators.ts';

const MS_PER_SECOND = 1_000;
/** Change lists taken by one commit. */
const LISTS_A_COMMIT = 64;

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
  readonly tops: TopsPlan;
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
  const { stores, clock, reach } = context;
  const started = performance.now();
  const board = await source.newest(former);
  const hour = await hourToPublish(context, board.state.root);
  const lists = await stores.changeLists.oldest(LISTS_A_COMMIT);
  const more = lists.length === LISTS_A_COMMIT;
  const [oldest] = lists;
  context.report.changesWait(oldest === undefined ? 0 : Math.max(0, clock() - timeOf(oldest._id)) / MS_PER_SECOND);
  const turns = hour > board.state.root.hour && !more;
  if (lists.length === 0 && !turns) return { outcome: 'idle', board, more };
  const plan = await planCommit(context, source, board, operatorsOf(lists), turns ? hour : board.state.root.hour);
  await reach('commit.scored');
  await keepTrail(context, board.state.root, lists);
  const sameTops = isDeepStrictEqual(plan.tops.windows, board.tops);
  if (plan.segment.operators.length === 0 && sameTops && !turns) {
    // A committer that read these records before they became what the board says could still publish: not on this root.
    const root = await stores.board.advance(board.state.root, {});
    if (root === null) return { outcome: 'overtaken', board, more: true };
    await stores.changeLists.forget(lists);
    return { outcome: 'idle', board: { ...board, state: { ...board.state, root } }, more };
  }
  const root = await writeVersion(context, board, plan, sameTops);
  if (root === null) return { outcome: 'overtaken', board, more: true };
  await reach('commit.root_written');
  await stores.changeLists.forget(lists);
  await reach('commit.lists_forgotten');
  board.table.apply(plan.segment);
  const seconds = (performance.now() - started) / 1_000;
  const operators = plan.segment.operators.length;
  const groups = lists.flatMap(({ group }) => group ?? []);
  const traces = lists.flatMap(({ trace }) => trace ?? []);
  context.report.committed({ seconds, operators, version: root.version, generatedAt: clock(), groups, traces });
  return { outcome: 'published', board: publishedAs(board, plan, root), more };
}

function publishedAs({ table }: PublishedBoard, { next, tops }: Plan, root: RootDocument): PublishedBoard {
  return { state: { ...next, root }, table, tops: tops.windows };
}

/** The hour that the next version may be true for: the clock's, unless somebody's totals still have to move for it. */
async function hourToPublish({ stores, clock }: RankingContext, root: RootDocument): Promise<number> {
  const hour = hourOf(clock());
  if (hour <= root.hour) return root.hour;
  // In this order: whoever is no longer due was announced before, so a list that is not held by now is there to be read.
  const due = await stores.operators.due(hour, 1);
  if (due.length > 0 || (await stores.changeLists.anyHeld())) return root.hour;
  return hour;
}

function operatorsOf(lists: readonly ChangeListDocument[]): Set<number> {
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
  const { stores, reach } = context;
  const { root, base, overlay } = board.state;
  const methodology = methodologyOf(context, root);
  const changes = new Map<number, YieldChange>();
  let known: ReadonlyMap<number, OperatorSummary> = new Map();
  for (let unscored: ReadonlySet<number> = operators; ; ) {
    for (const change of await scoreOperators(stores.operators, board.table, methodology, unscored)) {
      changes.set(change.operator, change);
    }
    await reach('commit.yields_read');
    const segment = makeSegment([...changes.values()]);
    const next = { root: { ...root, hour }, base, overlay: applySegment(overlay, segment) };
    const tops = await planTops(stores.operators, source, {
      next,
      methodology,
      former: board.tops,
      moved: operators,
      known,
      segment,
      anew: hour > root.hour,
    });
    if (tops.stale.length === 0) return { segment, next, tops };
    known = tops.records;
    const unread = new Set<number>();
    for (const operator of tops.stale) {
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
  { stores, clock, reach }: RankingContext,
  { state: { root } }: PublishedBoard,
  { segment, next, tops }: Plan,
  sameTops: boolean,
): Promise<RootDocument | null> {
  const now = new Date(clock());
  const version = root.version + 1;
  const name = `${version}-${randomName()}`;
  const changed = segment.operators.length > 0;
  await Promise.all([
    changed ? stores.parts.writeSegment(name, segment, now) : null,
    sameTops ? null : stores.parts.writeTops(name, tops.windows, now),
  ]);
  await reach('commit.parts_written');
  return stores.board.advance(root, {
    hour: next.root.hour,
    segments: changed ? [...root.segments, { id: name, from: version, to: version, tip: name }] : root.segments,
    tops: sameTops ? root.tops : name,
    totals: WINDOWS.map((_, window) => rankedIn(next, window)),
    generated_at: now,
  });
}

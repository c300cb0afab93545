import type { RankingContext } from '../context.ts';
import { applySegment, makeSegment, mergeSegments } from '../core/board/index.ts';
import { methodologyOf } from '../methodology-of.ts';
import type { RootDocument } from '../mongo/documents.ts';
import { randomName } from '../mongo/unique-id.ts';
import { createPublishedBoardSource } from '../publish/published-board.ts';
import { readTable } from '../publish/read-table.ts';
import { type BoardState, stateOf } from '../read/board-state.ts';
import { type CatchUp, catchUp } from './catch-up.ts';
import { planNextTops, switchOf, writeCaughtUp } from './write-switch.ts';

export type Rollback =
  | { readonly kind: 'rolled_back'; readonly version: number; readonly from: number; readonly to: number }
  /** There was no switch, or it is too long ago, or it was rolled back before. */
  | { readonly kind: 'nothing' }
  /** A re-rank is under way: it must be cancelled first. */
  | { readonly kind: 'busy'; readonly run: string };

/** Where a rollback stands: the board it returns to, and the table that is kept up with what changed since. */
interface Return {
  readonly former: BoardState;
  readonly version: number;
  readonly catching: CatchUp;
}

/**
 * Publishes the board before the last switch again, with whoever changed since rescored under its methodology, by one
 * compare-and-set. Costs by what changed, and by reading the former table once.
 */
export async function rollBack(context: RankingContext): Promise<Rollback> {
  const { stores, clock, reach, report } = context;
  const source = createPublishedBoardSource(context);
  let way: Return | null = null;
  let caughtUp = makeSegment([]);
  let stale: readonly number[] = [];
  for (;;) {
    const root = await stores.board.read();
    const refusal = refusalOf(root, clock());
    if (root === null || refusal !== null) return refusal ?? { kind: 'nothing' };
    way ??= await returnOf(context, root);
    if (way === null || way.version !== root.former?.version) return { kind: 'nothing' };
    caughtUp = mergeSegments(caughtUp, await way.catching.next(stale));
    const { former } = way;
    const overlay = applySegment(former.overlay, caughtUp);
    const state = {
      root: { ...root, base: former.base.id, segments: former.root.segments },
      base: former.base,
      overlay,
    };
    const next = { methodology: methodologyOf(context, former.root), state, caughtUp };
    const tops = await planNextTops(context, source, next);
    stale = tops.stale;
    if (stale.length > 0) continue;
    const segments = [...former.root.segments, ...(await writeCaughtUp(context, root, caughtUp))];
    const at = new Date(clock());
    const id = `switch-${root.version + 1}-${randomName()}`;
    await stores.parts.writeTops(id, tops.windows, at);
    await reach('rollback.tops_written');
    const published = await stores.board.advance(root, switchOf(root, next, segments, { tops: id, run: null, at }));
    if (published === null) continue;
    await reach('rollback.root_written');
    const change = { from: root.methodology, to: published.methodology };
    report.switched({ ...change, rolledBack: true });
    return { kind: 'rolled_back', version: published.version, ...change };
  }
}

function refusalOf(root: RootDocument | null, now: number): Rollback | null {
  const run = root?.rerank?.run;
  if (run !== undefined) return { kind: 'busy', run };
  const until = root?.former?.until.getTime() ?? Number.NEGATIVE_INFINITY;
  return until > now ? null : { kind: 'nothing' };
}

async function returnOf(context: RankingContext, root: RootDocument): Promise<Return | null> {
  const { stores } = context;
  const last = root.switches?.at(-1);
  const version = root.former?.version;
  if (last === undefined || version === undefined) return null;
  // Nothing sweeps what the root refers to: no part of it can be gone.
  const former = await stateOf(stores.parts, { ...root, ...last.from, stamp: '' }, null);
  if (former === null) throw new Error('parts of the board before the last switch are missing');
  const table = await readTable(stores.parts, former);
  return { former, version, catching: catchUp(context, table, methodologyOf(context, former.root), version) };
}

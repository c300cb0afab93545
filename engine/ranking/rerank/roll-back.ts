import { planAllTopEntries } from '../board/plan-top-entries.ts';
import { createPublishedBoardSource } from '../board/published-board.ts';
import { readTable } from '../board/read-table.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { applySegment, makeSegment, mergeSegments } from '../core/board/index.ts';
import { type BoardState, stateOf } from '../read/board-state.ts';
import type { ManifestDocument } from '../storage/board-manifest.ts';
import { randomId } from '../storage/unique-id.ts';
import { type CatchUp, catchUp } from './catch-up.ts';
import { switchOf, writeCaughtUp } from './switch-board.ts';

export type Rollback =
  | { readonly kind: 'rolled_back'; readonly version: number; readonly from: number; readonly to: number }
  /** There was no switch, it is too old, or it is already rolled back. */
  | { readonly kind: 'nothing' }
  /** A re-rank is running: cancel it first. */
  | { readonly kind: 'busy'; readonly run: string };

/** The board that a rollback returns to, and the catch-up of its table. */
interface RollbackTarget {
  readonly former: BoardState;
  readonly version: number;
  readonly catching: CatchUp;
}

/**
 * Publishes the board before the last switch again, with all operators changed since rescored under its methodology, by one
 * compare-and-set. Its cost grows with the number of changes, plus one read of the former table.
 */
export async function rollBack(context: RankingContext): Promise<Rollback> {
  const { stores, clock, failpoint, report } = context;
  const source = createPublishedBoardSource(context);
  let target: RollbackTarget | null = null;
  let caughtUp = makeSegment([]);
  let stale: readonly number[] = [];
  for (;;) {
    const manifest = await stores.board.read();
    const refusal = refusalOf(manifest, clock());
    if (manifest === null || refusal !== null) return refusal ?? { kind: 'nothing' };
    target ??= await rollbackTargetOf(context, manifest);
    if (target === null || target.version !== manifest.former?.version) return { kind: 'nothing' };
    caughtUp = mergeSegments(caughtUp, await target.catching.next(stale));
    const { former } = target;
    const delta = applySegment(former.delta, caughtUp);
    const state = {
      manifest: { ...manifest, base: former.base.id, segments: former.manifest.segments },
      base: former.base,
      delta,
    };
    const next = { methodology: methodologyOf(context, former.manifest), state, caughtUp };
    const topEntries = await planAllTopEntries(context, source, state, next.methodology);
    stale = topEntries.stale;
    if (stale.length > 0) continue;
    const segments = [...former.manifest.segments, ...(await writeCaughtUp(context, manifest, caughtUp))];
    const at = new Date(clock());
    const id = `switch-${manifest.version + 1}-${randomId()}`;
    await stores.parts.writeTopEntries(id, topEntries.windows, at);
    await failpoint('rollback.top_entries_written');
    const published = await stores.board.advance(
      manifest,
      switchOf(manifest, next, segments, { topEntries: id, run: null, at }),
    );
    if (published === null) continue;
    await failpoint('rollback.manifest_written');
    const change = { from: manifest.methodology, to: published.methodology };
    report.switched({ ...change, rolledBack: true });
    return { kind: 'rolled_back', version: published.version, ...change };
  }
}

function refusalOf(manifest: ManifestDocument | null, now: number): Rollback | null {
  const run = manifest?.rerank?.run;
  if (run !== undefined) return { kind: 'busy', run };
  const until = manifest?.former?.until.getTime() ?? Number.NEGATIVE_INFINITY;
  return until > now ? null : { kind: 'nothing' };
}

async function rollbackTargetOf(context: RankingContext, manifest: ManifestDocument): Promise<RollbackTarget | null> {
  const { stores } = context;
  const last = manifest.switches?.at(-1);
  const version = manifest.former?.version;
  if (last === undefined || version === undefined) return null;
  // Garbage collection keeps all parts that the manifest refers to.
  const former = await stateOf(stores.parts, { ...manifest, ...last.from, generation: '' }, null);
  if (former === null) throw new Error('parts of the board before the last switch are missing');
  const table = await readTable(stores.parts, former);
  return { former, version, catching: catchUp(context, table, methodologyOf(context, former.manifest), version) };
}

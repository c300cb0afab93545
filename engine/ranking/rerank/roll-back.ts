import { createPublishedBoardSource } from '../board/published-board.ts';
import { readTable } from '../board/read-table.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { makeSegment, mergeSegments } from '../core/board/index.ts';
import { stateOf } from '../read/board-state.ts';
import type { ManifestDocument } from '../storage/board-manifest.ts';
import { catchUp } from './catch-up.ts';
import { publishSwitch } from './switch-board.ts';

export type Rollback =
  | { readonly kind: 'rolled_back'; readonly version: number; readonly from: number; readonly to: number }
  /** There was no switch, it is too old, or it is already rolled back. */
  | { readonly kind: 'nothing' }
  /** A re-rank is running: cancel it first. */
  | { readonly kind: 'busy'; readonly run: string };

/**
 * Publishes the board before the last switch again, with all operators changed since rescored under its methodology, by one
 * compare-and-set. Its cost grows with the number of changes, plus one read of the former table.
 */
export async function rollBack(context: RankingContext): Promise<Rollback> {
  const { stores, clock, failpoint, report } = context;
  const source = createPublishedBoardSource(context);
  let target: Awaited<ReturnType<typeof rollbackTargetOf>> = null;
  let caughtUp = makeSegment([]);
  let stale: readonly number[] = [];
  for (;;) {
    const manifest = await stores.board.read();
    const refusal = refusalOf(manifest, clock());
    if (manifest === null || refusal !== null) return refusal ?? { kind: 'nothing' };
    target ??= await rollbackTargetOf(context, manifest);
    if (target === null || target.version !== manifest.former?.version) return { kind: 'nothing' };
    caughtUp = mergeSegments(caughtUp, await target.catching.next(stale));
    const { base, delta, manifest: former } = target.former;
    const methodology = methodologyOf(context, former);
    const next = { run: null, methodology, base, delta, segments: former.segments, caughtUp };
    const attempt = await publishSwitch(context, source, manifest, next);
    stale = attempt.stale;
    const { published } = attempt;
    if (published === null) continue;
    await failpoint('rollback.manifest_written');
    const change = { from: manifest.methodology, to: published.methodology };
    report.switched?.({ ...change, rolledBack: true });
    return { kind: 'rolled_back', version: published.version, ...change };
  }
}

function refusalOf(manifest: ManifestDocument | null, now: number): Rollback | null {
  const run = manifest?.rerank?.run;
  if (run !== undefined) return { kind: 'busy', run };
  const until = manifest?.former?.until.getTime() ?? Number.NEGATIVE_INFINITY;
  return until > now ? null : { kind: 'nothing' };
}

/** The board that a rollback returns to, and the catch-up of its table. */
async function rollbackTargetOf(context: RankingContext, manifest: ManifestDocument) {
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

import type { SubmissionResultBody } from '../../../engine/contract/index.ts';
import type { ApiContext } from '../../context/api-context.ts';
import { fromStorage } from '../../http/problem.ts';
import type { BatchWriter } from './batch-writer.ts';
import type { KnownVerdict, VerdictWaits } from './verdict-waits.ts';

export interface SnapshotContext extends ApiContext {
  readonly batches: BatchWriter;
  readonly verdicts: VerdictWaits;
}

export interface SnapshotIdentity {
  readonly operator: number;
  readonly codename: string;
  readonly hidden: boolean;
  readonly jti: string;
}

interface ResultContext extends Pick<SnapshotContext, 'verdicts'> {
  readonly config: Pick<ApiContext['config'], 'baseUrl'>;
  readonly board: Pick<ApiContext['board'], 'rankOfTotals'>;
  readonly ranking: { readonly log: Pick<ApiContext['ranking']['log'], 'findVerdict'> };
}

/** The current result of a snapshot; null when the operator logged no such snapshot. @throws Problem storage_unavailable. */
export async function findResult(ctx: ResultContext, snapshot: SnapshotIdentity): Promise<SubmissionResultBody | null> {
  const logged = await fromStorage(() => ctx.ranking.log.findVerdict(snapshot.operator, snapshot.jti));
  if (logged === null) return null;
  const { verdict, totals } = logged;
  return resultOf(ctx, snapshot, verdict && { verdict, totals });
}

/** The result of a snapshot; pending without a verdict. @throws Problem storage_unavailable. */
export function resultOf(
  ctx: ResultContext,
  snapshot: SnapshotIdentity,
  known: KnownVerdict | null,
): SubmissionResultBody | Promise<SubmissionResultBody> {
  return known === null ? pendingResult(ctx, snapshot) : finalResult(ctx, snapshot, known);
}

/** Waits at most `waitMs` for the first verdict of a snapshot that was logged earlier. @throws Problem storage_unavailable. */
export async function awaitRepeatedResult(
  ctx: ResultContext,
  snapshot: SnapshotIdentity,
  batch: string,
  waitMs: number,
): Promise<SubmissionResultBody> {
  const first = await findResult(ctx, snapshot);
  if (first !== null && first.verdict !== 'pending') return first;
  const { operator, jti } = snapshot;
  const result = await resultOf(ctx, snapshot, await ctx.verdicts.wait(batch, operator, jti, waitMs));
  // Its batch may have completed after the first lookup and before the wait began; then no event follows.
  return result.verdict === 'pending' ? ((await findResult(ctx, snapshot)) ?? result) : result;
}

function pendingResult({ config }: ResultContext, { codename, jti }: SnapshotIdentity): SubmissionResultBody {
  const status_url = `${config.baseUrl}/snapshots/${encodeURIComponent(jti)}`;
  return { accepted: true, codename, rank: null, verdict: 'pending', jti, status_url };
}

/** The result of a snapshot with a verdict, ranked on the current board. */
export async function finalResult(
  { board }: Pick<ResultContext, 'board'>,
  { operator, codename, hidden, jti }: SnapshotIdentity,
  { verdict, totals }: KnownVerdict,
): Promise<SubmissionResultBody> {
  if (!verdict.accepted) {
    const { reason, detail } = verdict;
    return { accepted: false, codename, rank: null, verdict: 'final', jti, reason, detail };
  }
  const row = totals?.row ?? null;
  const isPlaced = totals !== null && row !== 'excluded';
  const place = isPlaced ? await fromStorage(() => board.rankOfTotals(operator, totals)) : null;
  const isNumbered = row !== 'held' && !hidden;
  const standing = { rank: isNumbered ? place : null, row, would_be: isNumbered ? null : place };
  return { accepted: true, codename, hidden, ...standing, changed: verdict.changed, verdict: 'final', jti };
}

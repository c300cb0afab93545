import type { SubmissionResultBody } from '../../../engine/contract/index.ts';
import type { BoardReader } from '../../../engine/ranking/index.ts';
import type { KnownVerdict } from './verdict-waits.ts';

/** Identifies a snapshot. */
export interface SnapshotIdentity {
  readonly codename: string;
  readonly jti: string;
}

/** The result of a logged snapshot without a verdict. */
export function pendingResult({ codename, jti }: SnapshotIdentity, baseUrl: string): SubmissionResultBody {
  return {
    accepted: true,
    codename,
    rank: null,
    verdict: 'pending',
    jti,
    status_url: `${baseUrl}/snapshots/${encodeURIComponent(jti)}`,
  };
}

/** The result of a snapshot with a verdict, ranked on the current board. */
export async function finalResult(
  { codename, jti }: SnapshotIdentity,
  { verdict, totals }: KnownVerdict,
  board: Pick<BoardReader, 'rankOfTotals'>,
): Promise<SubmissionResultBody> {
  if (!verdict.accepted) {
    const { reason, detail } = verdict;
    return { accepted: false, codename, rank: null, verdict: 'final', jti, reason, detail };
  }
  const rank = totals === null ? null : await board.rankOfTotals(verdict.operator, totals);
  return { accepted: true, codename, rank, changed: verdict.changed, verdict: 'final', jti };
}

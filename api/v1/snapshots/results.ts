import type { SubmissionResultBody } from '../../../engine/contract/index.ts';
import type { ApiContext } from '../../context/api-context.ts';
import { fromStorage } from '../../http/problem.ts';
import type { Caller } from '../../http/route.ts';
import { finalResult, pendingResult, type SnapshotIdentity } from './submission-result.ts';
import type { VerdictWaits } from './verdict-waits.ts';

/** Waits at most `waitMs` milliseconds for the result of a logged snapshot in a batch. */
type AwaitResult = (
  caller: Caller,
  snapshot: SnapshotIdentity,
  batch: string,
  waitMs: number,
) => Promise<SubmissionResultBody>;

/** Results of logged snapshots. Each throws the Problem storage_unavailable. */
export interface Results {
  /** For a snapshot that was just logged. */
  readonly ofStored: AwaitResult;
  /** For a snapshot that was logged earlier: returns its first verdict. */
  readonly ofRepeated: AwaitResult;
  /** The current result; null when the operator logged no such snapshot. */
  readonly find: (caller: Caller, snapshot: SnapshotIdentity) => Promise<SubmissionResultBody | null>;
}

interface ResultsContext {
  readonly config: Pick<ApiContext['config'], 'baseUrl'>;
  readonly board: Pick<ApiContext['board'], 'rankOfTotals'>;
  readonly ranking: { readonly log: Pick<ApiContext['ranking']['log'], 'findVerdict'> };
}

export function createResults({ config: { baseUrl }, board, ranking }: ResultsContext, waits: VerdictWaits): Results {
  const find: Results['find'] = async (caller, snapshot) => {
    const logged = await fromStorage(() => ranking.log.findVerdict(caller.operator, snapshot.jti));
    if (logged === null) return null;
    const { verdict, totals } = logged;
    if (verdict === null) return pendingResult(snapshot, baseUrl);
    return fromStorage(() => finalResult(snapshot, { verdict, totals }, board));
  };

  const ofStored: AwaitResult = async (caller, snapshot, batch, waitMs) => {
    const known = await waits.wait(batch, caller.operator, snapshot.jti, waitMs);
    if (known === null) return pendingResult(snapshot, baseUrl);
    return fromStorage(() => finalResult(snapshot, known, board));
  };

  const ofRepeated: AwaitResult = async (caller, snapshot, batch, waitMs) => {
    const first = await find(caller, snapshot);
    if (first !== null && first.verdict !== 'pending') return first;
    const result = await ofStored(caller, snapshot, batch, waitMs);
    // Its batch may have completed after the first lookup and before the wait began; then no event follows.
    return result.verdict === 'pending' ? ((await find(caller, snapshot)) ?? result) : result;
  };

  return { ofStored, ofRepeated, find };
}

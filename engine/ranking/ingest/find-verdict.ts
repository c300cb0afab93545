import type { Counts } from '../../contract/signing/index.ts';
import type { RankingContext } from '../context.ts';
import { countsOf } from '../read/window-scores.ts';
import type { Verdict } from '../types.ts';

/** A logged snapshot with its verdict. */
export interface LoggedSnapshot {
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly batch: string;
  /** Null while there is none. */
  readonly verdict: Verdict | null;
  /** The operator's current all-time totals; null when the operator is gone. */
  readonly totals: Counts | null;
}

/** Looks up a snapshot by its operator and `jti`; null when it is not in the log. */
export async function findVerdict(
  { stores }: RankingContext,
  operator: number,
  jti: string,
): Promise<LoggedSnapshot | null> {
  const logged = await stores.log.find(operator, jti);
  if (logged === null) return null;
  const [verdict, [summary]] = await Promise.all([
    stores.verdicts.find(logged.batch, { operator, jti }),
    stores.operators.summaries([operator]),
  ]);
  const totals = summary === undefined ? null : countsOf(summary.totals, 0);
  return { receivedAt: logged.entry.receivedAt, batch: logged.batch, verdict, totals };
}

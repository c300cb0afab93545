import type { JudgedTotals } from '../../contract/snapshot.ts';
import type { RankingContext } from '../context.ts';
import { allTimeTotals } from '../core/score-record.ts';
import type { Verdict } from '../types.ts';

/** A logged snapshot with its verdict. */
export interface LoggedSnapshot {
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly batch: string;
  /** Null while there is none. */
  readonly verdict: Verdict | null;
  /** The operator's current all-time totals; null when the operator is gone. */
  readonly totals: JudgedTotals | null;
}

/** Looks up a snapshot by its operator and `jti`; null when it is not in the log. */
export async function findVerdict(
  { stores, methodologies }: RankingContext,
  operator: number,
  jti: string,
): Promise<LoggedSnapshot | null> {
  const logged = await stores.log.find(operator, jti);
  if (logged === null) return null;
  const [verdict, [summary], { methodology }] = await Promise.all([
    stores.verdicts.find(logged.batch, { operator, jti }),
    stores.operators.summaries([operator]),
    stores.board.basis(),
  ]);
  const rules = methodologies.get(methodology);
  const totals = summary === undefined || rules === undefined ? null : allTimeTotals(summary, rules);
  return { receivedAt: logged.entry.receivedAt, batch: logged.batch, verdict, totals };
}

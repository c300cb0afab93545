import type { RankingContext } from '../context.ts';
import { type StreamCounts, streamCounts } from '../core/operator-state/index.ts';
import type { OperatorRecord } from '../types.ts';

function recordOf(names: OperatorRecord | null): OperatorRecord | null {
  if (names === null || names.codename === '') return null;
  const { operator, codename, displayName, listed, offBoards, open } = names;
  return { operator, codename, displayName, listed, offBoards, open };
}

/** Finds an operator by number; null when it does not exist or was erased. */
export async function operatorByNumber({ stores }: RankingContext, operator: number): Promise<OperatorRecord | null> {
  return recordOf(await stores.operators.names(operator));
}

/** Finds an operator by codename, in any case; null when it does not exist. */
export async function findOperator({ stores }: RankingContext, codename: string): Promise<OperatorRecord | null> {
  return recordOf(await stores.operators.byCodename(codename));
}

/** An operator's streams, or those of one ledger, as of the board's hour; null when the operator does not exist or was erased. */
export async function streamsOf(
  { stores }: RankingContext,
  operator: number,
  ledger: string | null = null,
): Promise<StreamCounts | null> {
  const [found, { hour: boardHour }] = await Promise.all([
    stores.operators.operatorStates([operator]),
    stores.board.basis(),
  ]);
  const loaded = found.get(operator);
  if (loaded === undefined) return null;
  return streamCounts(loaded.operatorState, Math.max(loaded.operatorState.hour, boardHour), ledger);
}

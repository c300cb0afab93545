import type { RankingContext } from '../context.ts';
import type { OperatorNames } from '../storage/operator-store.ts';
import type { OperatorRecord } from '../types.ts';

function recordOf(names: OperatorNames | null): OperatorRecord | null {
  if (names === null || names.codename === '') return null;
  const { operator, codename, displayName, listed } = names;
  return { operator, codename, displayName, listed };
}

/** An operator's names by sequence number; null when there is none (any more). */
export async function operatorByNumber({ stores }: RankingContext, operator: number): Promise<OperatorRecord | null> {
  return recordOf(await stores.operators.names(operator));
}

/** An operator's names by codename, in any case; null when there is none. */
export async function findOperator({ stores }: RankingContext, codename: string): Promise<OperatorRecord | null> {
  return recordOf(await stores.operators.byCodename(codename));
}

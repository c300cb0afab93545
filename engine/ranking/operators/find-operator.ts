import type { RankingContext } from '../context.ts';
import type { OperatorRecord } from '../types.ts';

function recordOf(names: OperatorRecord | null): OperatorRecord | null {
  if (names === null || names.codename === '') return null;
  const { operator, codename, displayName, listed } = names;
  return { operator, codename, displayName, listed };
}

/** Finds an operator by number; null when it does not exist or was erased. */
export async function operatorByNumber({ stores }: RankingContext, operator: number): Promise<OperatorRecord | null> {
  return recordOf(await stores.operators.names(operator));
}

/** Finds an operator by codename, in any case; null when it does not exist. */
export async function findOperator({ stores }: RankingContext, codename: string): Promise<OperatorRecord | null> {
  return recordOf(await stores.operators.byCodename(codename));
}

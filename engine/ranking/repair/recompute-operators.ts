import type { RankingContext } from '../context.ts';
import { DamagedRollupError, statesFromLog } from './states-from-log.ts';

/** Operators folded anew together: so many are held from commits at a time. */
const OPERATORS_A_ROUND = 200;
/** Refolds begun before giving up: each lost its race for the record. */
const MAX_TRIES = 20;

/**
 * Puts what the log says in the place of operators' marks and totals, and lists them for the next commit. Folds that come
 * meanwhile are kept: a record is written only as it was before the log was read. Answers those that are not gone; tells
 * after each round how many of them are done. Throws DamagedRollupError, after the round of that operator.
 */
export async function recomputeOperators(
  context: RankingContext,
  operators: readonly number[],
  onDone: (operators: number) => void = () => undefined,
): Promise<ReadonlySet<number>> {
  const there = new Set<number>();
  const numbers = [...new Set(operators)];
  for (let from = 0; from < numbers.length; from += OPERATORS_A_ROUND) {
    const round = numbers.slice(from, from + OPERATORS_A_ROUND);
    for (const operator of await recomputeRound(context, round)) there.add(operator);
    onDone(from + round.length);
  }
  return there;
}

async function recomputeRound(context: RankingContext, operators: readonly number[]): Promise<readonly number[]> {
  let open = operators;
  const done: number[] = [];
  for (let tries = 0; open.length > 0; tries++) {
    if (tries === MAX_TRIES) throw new Error(`${open.length} operators lost every race for their record`);
    const written = await recomputeOnce(context, open);
    done.push(...written.done);
    open = written.lost;
  }
  return done;
}

async function recomputeOnce({ stores, operatorStates, clock, ...rest }: RankingContext, operators: readonly number[]) {
  const stamps = await stores.operators.recordRevisions(operators);
  const boardHour = await stores.board.hour();
  const hours = new Map([...stamps].map(([operator, { hour }]) => [operator, Math.max(hour, boardHour)]));
  const told = await statesFromLog({ stores, deviceKeys: rest.deviceKeys }, hours);
  const writes = [...told].map(([operator, operatorState]) => ({
    operator,
    from: stamps.get(operator)!.revision,
    operatorState,
  }));
  const list = await stores.dirtySets.prepare([...told.keys()], clock());
  const written = await stores.writeStates(writes, new Date(clock()));
  for (const operator of told.keys()) operatorStates.delete(operator);
  await stores.dirtySets.commit(list, clock());
  const damaged = [...stamps.keys()].find((operator) => !told.has(operator));
  if (damaged !== undefined) throw new DamagedRollupError(damaged);
  return { done: [...written.keys()], lost: [...told.keys()].filter((operator) => !written.has(operator)) };
}

import type { RankingContext } from '../context.ts';
import { DamagedRollupError, statesFromLog } from './states-from-log.ts';

/** Operators recomputed together, in one write intent. */
const OPERATORS_A_ROUND = 200;
/** Batches per read command. */
const BATCHES_A_READ = 500;
/** Attempts before giving up; each lost the race for a record. */
const MAX_TRIES = 20;

/**
 * Replaces operators' samples and totals by those recomputed from the log, and marks the operators dirty. Keeps concurrent
 * changes: a write is conditional on the revision read before the log. Returns the operators that exist; calls `onDone` after
 * each round. Throws DamagedRollupError after the round with that operator.
 */
export async function recomputeOperators(
  context: RankingContext,
  operators: readonly number[],
  onDone: (operators: number) => void = () => undefined,
): Promise<ReadonlySet<number>> {
  const existing = new Set<number>();
  const numbers = [...new Set(operators)];
  for (let from = 0; from < numbers.length; from += OPERATORS_A_ROUND) {
    const round = numbers.slice(from, from + OPERATORS_A_ROUND);
    for (const operator of await recomputeRound(context, round)) existing.add(operator);
    onDone(from + round.length);
  }
  return existing;
}

/** Recomputes one operator; false when it does not exist or was erased. */
export async function recomputeOperator(context: RankingContext, operator: number): Promise<boolean> {
  return (await recomputeOperators(context, [operator])).has(operator);
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
  const revisions = await stores.operators.recordRevisions(operators);
  const { hour: boardHour } = await stores.board.basis();
  const hours = new Map([...revisions].map(([operator, { hour }]) => [operator, Math.max(hour, boardHour)]));
  const states = await statesFromLog({ stores, deviceKeys: rest.deviceKeys }, hours);
  const writes = [...states].map(([operator, operatorState]) => ({
    operator,
    from: revisions.get(operator)!.revision,
    held: null,
    operatorState,
  }));
  const intent = await stores.dirtySets.prepare([...states.keys()], clock());
  const written = await stores.operators.writeStates(writes, new Date(clock()));
  for (const operator of states.keys()) operatorStates.delete(operator);
  await stores.dirtySets.commit(intent, clock());
  const damaged = [...revisions.keys()].find((operator) => !states.has(operator));
  if (damaged !== undefined) throw new DamagedRollupError(damaged);
  return { done: [...written.keys()], lost: [...states.keys()].filter((operator) => !written.has(operator)) };
}

/** Operators with snapshots decided at or after a time (milliseconds since the epoch). */
export async function processedSince({ stores }: RankingContext, since: number): Promise<readonly number[]> {
  const batches = await stores.verdicts.decidedSince(new Date(since));
  const operators = new Set<number>();
  for (let from = 0; from < batches.length; from += BATCHES_A_READ) {
    for (const operator of await stores.log.operatorsIn(batches.slice(from, from + BATCHES_A_READ))) {
      operators.add(operator);
    }
  }
  return [...operators];
}

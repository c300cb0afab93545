import type { RankingContext } from '../context.ts';
import { applySamples, emptyState, type OperatorState } from '../core/operator-state/index.ts';
import { countedEntries, factsByOperator } from './counted-facts.ts';

/** Log entries per read command. */
const ENTRIES_A_READ = 1_000;

/** A rollup's checksum does not match: totals of deleted log entries cannot be recomputed from it. */
export class DamagedRollupError extends Error {
  override readonly name = 'DamagedRollupError';
  readonly operator: number;

  constructor(operator: number) {
    super(`the rollup of operator ${operator} is damaged`);
    this.operator = operator;
  }
}

/**
 * Computes operator states from rollups and the log, each at the given hour. Operators with a damaged rollup are absent.
 * Memory holds all requested states and a thousand entries: request some hundreds of operators.
 */
export async function statesFromLog(
  context: Pick<RankingContext, 'stores' | 'deviceKeys'>,
  hours: ReadonlyMap<number, number>,
): Promise<Map<number, OperatorState>> {
  const { stores } = context;
  const rollups = await stores.rollups.findAll([...hours.keys()]);
  const operatorStates = new Map<number, OperatorState>();
  for (const [operator, hour] of hours) {
    const found = rollups.get(operator);
    if (found?.kind === 'damaged') continue;
    const rolledUp = found?.kind === 'rollup' ? found.rollup.facts : [];
    operatorStates.set(operator, applySamples(emptyState(hour), rolledUp, hour).operatorState);
  }
  for (let after = ''; operatorStates.size > 0; ) {
    const entries = await stores.log.pageOfAll([...operatorStates.keys()], after, ENTRIES_A_READ);
    for (const [operator, facts] of factsByOperator(await countedEntries(context, entries))) {
      const operatorState = operatorStates.get(operator);
      if (operatorState !== undefined)
        operatorStates.set(operator, applySamples(operatorState, facts, operatorState.hour).operatorState);
    }
    const last = entries.at(-1);
    if (last === undefined || entries.length < ENTRIES_A_READ) break;
    after = last.id;
  }
  return operatorStates;
}

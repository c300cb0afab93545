import type { RankingContext } from '../context.ts';
import { emptyStanding, foldStanding, type Standing } from '../core/standing/index.ts';
import { countedEntries, factsByOperator } from './counted-facts.ts';

/** Entries of the log read by one command. */
const ENTRIES_A_READ = 1_000;

/** A carry mark is not what was written: what is no longer in the log cannot be told from it. */
export class CarryDamaged extends Error {
  readonly operator: number;

  constructor(operator: number) {
    super(`the carry mark of operator ${operator} is damaged`);
    this.operator = operator;
  }
}

/**
 * What the log and their carry marks make of operators, each as seen from an hour of its own. Those whose carry mark is
 * damaged are left out. Holds the standings and a thousand entries at a time: ask for some hundreds of operators.
 */
export async function standingsFromLog(
  context: Pick<RankingContext, 'stores' | 'deviceKeys'>,
  hours: ReadonlyMap<number, number>,
): Promise<Map<number, Standing>> {
  const { stores } = context;
  const carries = await stores.carries.findAll([...hours.keys()]);
  const standings = new Map<number, Standing>();
  for (const [operator, hour] of hours) {
    const found = carries.get(operator);
    if (found?.kind === 'damaged') continue;
    const carried = found?.kind === 'carry' ? found.carry.facts : [];
    standings.set(operator, foldStanding(emptyStanding(hour), carried, hour).standing);
  }
  for (let after = ''; standings.size > 0; ) {
    const entries = await stores.operatorLog.pageOfAll([...standings.keys()], after, ENTRIES_A_READ);
    for (const [operator, facts] of factsByOperator(await countedEntries(context, entries))) {
      const standing = standings.get(operator);
      if (standing !== undefined) standings.set(operator, foldStanding(standing, facts, standing.hour).standing);
    }
    const last = entries.at(-1);
    if (last === undefined || entries.length < ENTRIES_A_READ) break;
    after = last.id;
  }
  return standings;
}

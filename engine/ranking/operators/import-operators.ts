import type { RankingContext } from '../context.ts';
import { applySamples, emptyState, factsOf, hourOf, type UsageFact } from '../core/operator-state/index.ts';

/** Operators written by one command: at about 600 bytes each, far below what a command may carry. */
const OPERATORS_A_COMMAND = 2_000;

/** An operator that comes from elsewhere with its usage. The names must be free and fit to be names. */
export interface ImportedOperator {
  readonly codename: string;
  readonly displayName: string | null;
  readonly usage: readonly ImportedUsage[];
}

/** What a snapshot would say: at `asOf` (milliseconds since the epoch) these were the totals of a ledger on a platform. */
export interface ImportedUsage extends Omit<UsageFact, 'hour'> {
  readonly asOf: number;
}

/**
 * Writes many new operators with their usage folded, far faster than one enrolment and one snapshot each; answers the
 * number of the first, and the others follow in the order given. They appear on the board when it is rebuilt. Throws when
 * a codename is taken, and the operators before that one are there.
 */
export async function importOperators(
  { stores, clock }: RankingContext,
  operators: readonly ImportedOperator[],
): Promise<number> {
  const first = await stores.operators.reserve(operators.length);
  const hour = hourOf(clock());
  for (let done = 0; done < operators.length; done += OPERATORS_A_COMMAND) {
    const batch = operators.slice(done, done + OPERATORS_A_COMMAND).map(({ codename, displayName, usage }, index) => ({
      operator: first + done + index,
      codename,
      displayName,
      operatorState: standingOf(usage, hour),
    }));
    // No log tells of this usage: the carry mark says what it came to, so that the record can be told anew. It comes first,
    // as a record without it would be taken for wrong.
    const used = batch.filter(({ operatorState }) => operatorState.streams.length > 0);
    const until = clock();
    await stores.rollups.insert(
      new Map(used.map(({ operator, operatorState }) => [operator, { until, facts: factsOf(operatorState) }])),
    );
    await stores.operators.insert(batch, new Date(until));
  }
  return first;
}

function standingOf(usage: readonly ImportedUsage[], hour: number) {
  const facts = usage.map(({ asOf, ...fact }) => ({ ...fact, hour: hourOf(asOf) }));
  return applySamples(emptyState(hour), facts, hour).operatorState;
}

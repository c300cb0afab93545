import type { RankingContext } from '../context.ts';
import { applySamples, emptyState, hourOf, samplesOf, type UsageSample } from '../core/operator-state/index.ts';

/** Operators per command; at about 600 bytes each, far below the command size limit. */
const OPERATORS_A_COMMAND = 2_000;

/** An operator imported with its usage. Its names must be valid and free. */
export interface ImportedOperator {
  readonly codename: string;
  readonly displayName: string | null;
  readonly usage: readonly ImportedUsage[];
}

/** Totals of a ledger on a platform at `asOf` (milliseconds since the epoch), as a snapshot would give them. */
export interface ImportedUsage extends Omit<UsageSample, 'hour'> {
  readonly asOf: number;
}

/**
 * Writes many new operators with their usage applied, much faster than one enrolment and one snapshot each. Returns the
 * number of the first; the others follow in the given order. They appear on the board after a rebuild. Throws when a codename
 * is taken; operators before that one remain written.
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
      operatorState: stateFrom(usage, hour),
    }));
    // This usage is not in the log. The rollup records it, so that the state can be recomputed. Write the rollup first:
    // verification would report a state without it as damaged.
    const used = batch.filter(({ operatorState }) => operatorState.streams.length > 0);
    const until = clock();
    await stores.rollups.insert(
      new Map(
        used.map(({ operator, operatorState }) => {
          return [operator, { until, facts: samplesOf(operatorState), older: operatorState.older }];
        }),
      ),
    );
    await stores.operators.insert(batch, new Date(until));
  }
  return first;
}

function stateFrom(usage: readonly ImportedUsage[], hour: number) {
  // Received before every kept day, so that the first snapshot witnesses only what it adds.
  const facts = usage.map(({ asOf, ...fact }) => ({ receipt: 0, ...fact, hour: hourOf(asOf) }));
  return applySamples(emptyState(hour), facts, hour).operatorState;
}

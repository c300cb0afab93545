import type { Assertions } from '../../integrity/index.ts';
import type { RankingContext } from '../context.ts';
import {
  applySamples,
  type OperatorState,
  type SampleOutcome,
  type UsageSample,
} from '../core/operator-state/index.ts';
import type { StateWrite } from '../storage/operator-changes.ts';
import type { LoadedState } from '../storage/operators.ts';
import { type LoadedStates, loadStates } from './load-states.ts';

/** Rounds of compare-and-set before the batch returns to the queue. */
const MAX_ROUNDS = 20;

/** The operators' records changed in every round. Retryable: no entry is at fault. */
export class ContentionError extends Error {
  override readonly name = 'ContentionError';
}

/** The result of applying an operator's facts; `gone` when the operator does not exist or was erased. */
export type ApplyResult =
  | {
      readonly kind: 'applied';
      readonly operatorState: OperatorState;
      readonly assertions: Assertions;
      readonly outcomes: readonly SampleOutcome[];
    }
  | { readonly kind: 'gone' };

/** A write with the record's assertions, which it leaves as they are. */
type AssertedWrite = StateWrite & Pick<LoadedState, 'assertions'>;

/**
 * Applies facts to operator states at `hour` or later and writes what changed, each conditional on the revision that was
 * read. Operators that lose the race are read and applied again. Callers that are not repeated after a crash pass
 * `amendedAt`, the time of the writes, so that reconciliation finds them. Throws ContentionError when the rounds run out.
 */
export async function applyFacts(
  context: RankingContext,
  facts: ReadonlyMap<number, readonly UsageSample[]>,
  hour: number,
  amendedAt: Date | null = null,
): Promise<Map<number, ApplyResult>> {
  const results = new Map<number, ApplyResult>();
  let open = [...facts.keys()];
  for (let round = 0; open.length > 0; round++) {
    if (round === MAX_ROUNDS) throw new ContentionError(`${open.length} operators lost every race for their record`);
    const loaded = await loadStates(context.stores.operators, context.operatorStates, open);
    await context.failpoint('batch.loaded');
    const { writes, unchanged } = applyRound(open, facts, loaded, hour, results);
    open = [...(await writeRound(context, writes, amendedAt)), ...(await changedMeanwhile(context, unchanged))];
  }
  return results;
}

/** Applies the facts; `unchanged` are the operators without a change according to the cache, with the cached revision. */
function applyRound(
  open: readonly number[],
  facts: ReadonlyMap<number, readonly UsageSample[]>,
  { operatorStates, cached }: LoadedStates,
  hour: number,
  results: Map<number, ApplyResult>,
) {
  const writes: AssertedWrite[] = [];
  const unchanged: [operator: number, revision: string][] = [];
  for (const operator of open) {
    const known = operatorStates.get(operator);
    if (known === undefined) {
      results.set(operator, { kind: 'gone' });
      continue;
    }
    const { assertions, revision, operatorState: held } = known;
    const { operatorState, outcomes } = applySamples(held, facts.get(operator) ?? [], hour);
    results.set(operator, { kind: 'applied', operatorState, assertions, outcomes });
    if (operatorState !== held) writes.push({ operator, from: revision, held, operatorState, assertions });
    else if (cached.has(operator)) unchanged.push([operator, revision]);
  }
  return { writes, unchanged };
}

/** The cache may hold a write that the store lost in a crash; skipping the write would then lose the facts. */
async function changedMeanwhile(
  { stores, operatorStates }: RankingContext,
  unchanged: ReturnType<typeof applyRound>['unchanged'],
) {
  if (unchanged.length === 0) return [];
  const present = await stores.operators.recordRevisions(unchanged.map(([operator]) => operator));
  const changed = unchanged.flatMap(([operator, revision]) =>
    present.get(operator)?.revision === revision ? [] : [operator],
  );
  for (const operator of changed) operatorStates.delete(operator);
  return changed;
}

/** Writes the states; returns the operators that lost the race. */
async function writeRound(
  { stores, operatorStates }: RankingContext,
  writes: readonly AssertedWrite[],
  amendedAt: Date | null,
): Promise<number[]> {
  if (writes.length === 0) return [];
  const written = await stores.operators.writeStates(writes, amendedAt);
  const lost: number[] = [];
  for (const { operator, operatorState, assertions } of writes) {
    const revision = written.get(operator);
    if (revision === undefined) {
      operatorStates.delete(operator);
      lost.push(operator);
    } else {
      operatorStates.set(operator, { revision, operatorState, assertions });
    }
  }
  return lost;
}

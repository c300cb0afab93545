import type { RankingContext } from '../context.ts';
import { applySamples, type FactOutcome, type OperatorState, type UsageFact } from '../core/operator-state/index.ts';
import type { StateWrite } from '../storage/state-writer.ts';
import { type LoadedStates, loadStates } from './load-states.ts';

/** Rounds in which lost races are tried again before the group is given back to the queue. */
const MAX_ROUNDS = 20;

/** The operators' records moved on in every round. Nobody's fault: another run will do. */
export class ContentionError extends Error {}

/** What folding an operator's facts came to; `gone` when there is no such operator (any more). */
export type ApplyResult =
  | { readonly kind: 'applied'; readonly operatorState: OperatorState; readonly outcomes: readonly FactOutcome[] }
  | { readonly kind: 'gone' };

/**
 * Folds facts into the operators' standings at `hour` or later and writes what changed, each on the revision it was read at;
 * whoever loses a race is read and folded again. A caller who would not come again to list them gives `amendedAt`, the
 * moment of the writes. Throws ContentionError when races do not end.
 */
export async function applyFacts(
  context: RankingContext,
  facts: ReadonlyMap<number, readonly UsageFact[]>,
  hour: number,
  amendedAt: Date | null = null,
): Promise<Map<number, ApplyResult>> {
  const results = new Map<number, ApplyResult>();
  let open = [...facts.keys()];
  for (let round = 0; open.length > 0; round++) {
    if (round === MAX_ROUNDS) throw new ContentionError(`${open.length} operators lost every race for their record`);
    const loaded = await loadStates(context.stores.operators, context.operatorStates, open);
    await context.failpoint('batch.loaded');
    const { writes, unmoved } = applyRound(open, facts, loaded, hour, results);
    open = [...(await writeRound(context, writes, amendedAt)), ...(await movedMeanwhile(context, unmoved))];
  }
  return results;
}

interface AppliedRound {
  readonly writes: StateWrite[];
  /** Operators for whom there is nothing to write, as far as this process remembers, with the revision it remembers. */
  readonly unmoved: readonly (readonly [operator: number, revision: string])[];
}

function applyRound(
  open: readonly number[],
  facts: ReadonlyMap<number, readonly UsageFact[]>,
  { operatorStates, remembered }: LoadedStates,
  hour: number,
  results: Map<number, ApplyResult>,
): AppliedRound {
  const writes: StateWrite[] = [];
  const unmoved: [operator: number, revision: string][] = [];
  for (const operator of open) {
    const known = operatorStates.get(operator);
    if (known === undefined) {
      results.set(operator, { kind: 'gone' });
      continue;
    }
    const { operatorState, outcomes } = applySamples(known.operatorState, facts.get(operator) ?? [], hour);
    results.set(operator, { kind: 'applied', operatorState, outcomes });
    if (operatorState !== known.operatorState) writes.push({ operator, from: known.revision, operatorState });
    else if (remembered.has(operator)) unmoved.push([operator, known.revision]);
  }
  return { writes, unmoved };
}

/**
 * Those of the operators whose remembered revision is not the present one. What is remembered may be of a write that the
 * store lost in a crash: then nothing to write would be the loss of what is folded.
 */
async function movedMeanwhile({ stores, operatorStates }: RankingContext, unmoved: AppliedRound['unmoved']) {
  if (unmoved.length === 0) return [];
  const present = await stores.operators.revisions(unmoved.map(([operator]) => operator));
  const moved = unmoved.flatMap(([operator, revision]) => (present.get(operator) === revision ? [] : [operator]));
  for (const operator of moved) operatorStates.delete(operator);
  return moved;
}

/** Writes, and answers the operators whose race was lost. */
async function writeRound(
  { stores, operatorStates }: RankingContext,
  writes: StateWrite[],
  amendedAt: Date | null,
): Promise<number[]> {
  if (writes.length === 0) return [];
  const written = await stores.writeStates(writes, amendedAt);
  const lost: number[] = [];
  for (const { operator, operatorState } of writes) {
    const revision = written.get(operator);
    if (revision === undefined) {
      operatorStates.delete(operator);
      lost.push(operator);
    } else {
      operatorStates.set(operator, { revision, operatorState });
    }
  }
  return lost;
}

import type { RankingContext } from '../context.ts';
import {
  applySamples,
  collectSamples,
  type OperatorState,
  readSamples,
  type UsageSample,
} from '../core/operator-state/index.ts';
import { factOf, factsByOperator } from '../ingest/process-batch.ts';
import { verifyEntries } from '../ingest/verification/verify-entries.ts';
import { NO_ROLLUP } from '../storage/rollups.ts';
import type { KeptEntry } from '../storage/snapshots.ts';

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
 * Adds to `undecided` those with entries that no verdict decides yet. Memory holds all requested states and a thousand entries: request some hundreds of operators.
 */
export async function statesFromLog(
  context: Pick<RankingContext, 'stores' | 'deviceKeys'>,
  hours: ReadonlyMap<number, number>,
  undecided: Set<number> = new Set(),
): Promise<Map<number, OperatorState>> {
  const { stores } = context;
  const rollups = await stores.rollups.findAll([...hours.keys()]);
  const operatorStates = new Map<number, OperatorState>();
  for (const [operator, hour] of hours) {
    const found = rollups.get(operator);
    if (found?.kind === 'damaged') continue;
    const { facts, older } = found?.kind === 'rollup' ? found.rollup : NO_ROLLUP;
    operatorStates.set(operator, readSamples(facts, older, hour));
  }
  if (operatorStates.size === 0) return operatorStates;
  for await (const entries of stores.log.ofOperators([...operatorStates.keys()], ENTRIES_A_READ)) {
    const counted = await countedEntries(context, entries);
    for (const { kept, decided } of counted) if (!decided) undecided.add(kept.entry.operator);
    for (const [operator, facts] of countedFacts(counted)) {
      const operatorState = operatorStates.get(operator);
      if (operatorState !== undefined) operatorStates.set(operator, collectSamples(operatorState, facts).operatorState);
    }
  }
  // A day of receipt can be in several reads, so that days are counted at the end.
  for (const [operator, state] of operatorStates) {
    operatorStates.set(operator, applySamples(state, [], state.hour).operatorState);
  }
  return operatorStates;
}

/** A log entry with its usage fact: null when it was refused or voided. */
interface CountedEntry {
  readonly kept: KeptEntry;
  readonly fact: UsageSample | null;
  /** Whether its batch has verdicts. */
  readonly decided: boolean;
}

/**
 * Usage facts of log entries, derived only from the signed entries and the recorded refusals. An entry without a verdict
 * counts if it verifies, because its state may already be written.
 */
export async function countedEntries(
  { stores, deviceKeys }: Pick<RankingContext, 'stores' | 'deviceKeys'>,
  entries: readonly KeptEntry[],
): Promise<readonly CountedEntry[]> {
  const verdicts = await stores.verdicts.ofBatches([...new Set(entries.map(({ batch }) => batch))]);
  const verifications = await verifyEntries(
    entries.map(({ entry }) => entry),
    deviceKeys,
  );
  return entries.map((kept, index): CountedEntry => {
    const verdict = verdicts.get(kept.batch);
    const refused = verdict?.refused.some(({ entry }) => entry === kept.id) === true;
    const fact = kept.voided || refused ? null : factOf(kept.entry, verifications[index]);
    return { kept, fact, decided: verdict !== undefined };
  });
}

/** Usage facts by operator; operators without any are absent. */
export function countedFacts(entries: readonly CountedEntry[]): ReadonlyMap<number, UsageSample[]> {
  return factsByOperator(
    entries.map(({ kept }) => kept.entry),
    (index) => entries[index]!.fact,
  );
}

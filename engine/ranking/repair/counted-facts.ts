import type { RankingContext } from '../context.ts';
import type { UsageSample } from '../core/operator-state/index.ts';
import { factOf } from '../ingest/process-batch.ts';
import { verifyEntries } from '../ingest/verification/index.ts';
import type { KeptEntry } from '../storage/snapshots.ts';

/** A log entry with its usage fact: null when it was refused or voided. */
export interface CountedEntry {
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
    const verification = verifications[index];
    const refused = verdict?.refused.some(({ entry }) => entry === kept.id) === true;
    const counts = !kept.voided && !refused && verification?.ok === true;
    return { kept, fact: counts ? factOf(kept.entry, verification) : null, decided: verdict !== undefined };
  });
}

/** Usage facts by operator; operators without any are absent. */
export function factsByOperator(entries: readonly CountedEntry[]): ReadonlyMap<number, UsageSample[]> {
  const facts = new Map<number, UsageSample[]>();
  for (const { kept, fact } of entries) {
    if (fact === null) continue;
    const known = facts.get(kept.entry.operator);
    if (known === undefined) facts.set(kept.entry.operator, [fact]);
    else known.push(fact);
  }
  return facts;
}

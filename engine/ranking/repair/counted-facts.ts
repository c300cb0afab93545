import type { RankingContext } from '../context.ts';
import type { UsageSample } from '../core/operator-state/index.ts';
import { factOf } from '../ingest/process-batch.ts';
import { verifyEntries } from '../ingest/verification/index.ts';
import type { KeptEntry } from '../storage/operator-log.ts';

/** An entry of the log with what it counts for: null when it was refused or taken out. */
export interface CountedEntry {
  readonly kept: KeptEntry;
  readonly fact: UsageSample | null;
  /** Whether its group has its verdict. */
  readonly decided: boolean;
}

/**
 * What entries of the log count for, by their known signatures: nothing but the log and the refusals is believed. An entry
 * that has no verdict yet counts if it verifies, for its fold may have been written already.
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

/** What entries count for, by operator; who has none that counts is left out. */
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

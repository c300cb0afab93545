import type { RankingContext } from '../context.ts';
import type { Standing, UsageFact } from '../core/standing/index.ts';
import { factOf } from '../ingest/judge-group.ts';
import type { KeptEntry } from '../mongo/operator-log.ts';
import { verifyEntries } from '../verification/index.ts';

/** An entry of the log with what it counts for: null when it was refused or taken out. */
export interface CountedEntry {
  readonly kept: KeptEntry;
  readonly fact: UsageFact | null;
  /** Whether its group has its verdict. */
  readonly decided: boolean;
}

/**
 * What entries of the log count for, by their own signatures: nothing but the log and the refusals is believed. An entry
 * that has no verdict yet counts if it verifies, for its fold may have been written already.
 */
export async function countedEntries(
  { stores, deviceKeys }: Pick<RankingContext, 'stores' | 'deviceKeys'>,
  entries: readonly KeptEntry[],
): Promise<readonly CountedEntry[]> {
  const verdicts = await stores.verdicts.ofGroups([...new Set(entries.map(({ group }) => group))]);
  const judgements = await verifyEntries(
    entries.map(({ entry }) => entry),
    deviceKeys,
  );
  return entries.map((kept, index): CountedEntry => {
    const verdict = verdicts.get(kept.group);
    const judgement = judgements[index];
    const refused = verdict?.refused.some(({ entry }) => entry === kept.id) === true;
    const counts = !kept.voided && !refused && judgement?.ok === true;
    return { kept, fact: counts ? factOf(kept.entry, judgement) : null, decided: verdict !== undefined };
  });
}

/** The marks of a standing as facts: folding these gives these marks again. */
export function factsOf({ streams }: Standing): UsageFact[] {
  return streams.flatMap(({ ledger, platform, epoch, series: { hours, counts } }) => {
    // A stream that has used nothing has no mark, but its epoch counts.
    const steps = hours.length === 0 ? [0] : [...hours];
    return steps.map((hour, step): UsageFact => {
      const [input = 0, output = 0, cache_read = 0, cache_write = 0] = counts.subarray(step * 4, step * 4 + 4);
      return { ledger, platform, epoch, hour, counts: { input, output, cache_read, cache_write } };
    });
  });
}

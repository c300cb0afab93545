import { DAY_MS } from '../../../config/units.ts';
import type { RankingContext } from '../context.ts';
import type { NetworkSighting } from '../storage/network-sightings.ts';

/** Records the networks that operators submit from today, without their addresses and except for erased operators. Safe to repeat. */
export async function recordNetworks(
  { stores, clock }: RankingContext,
  seen: readonly NetworkSighting[],
): Promise<void> {
  const live = await stores.operators.recordRevisions([...new Set(seen.map(({ operator }) => operator))]);
  const today = clock() - (clock() % DAY_MS);
  await stores.networkSightings.record(
    seen.filter(({ operator }) => live.has(operator)),
    new Date(today),
  );
}

import type { Counts } from '../../../engine/contract/signing/index.ts';
import { missingText } from '../../../engine/contract/unranked.ts';
import { placeCounts } from '../coach/place-counts.ts';
import { openBoard } from '../net/public-board.ts';
import { nextText, placeText } from '../output/place-text.ts';
import { type Screen, yieldText } from '../output/screen.ts';
import { addCounts, zeroCounts } from '../store/usage.ts';
import { yieldOf } from '../views/usage-rows.ts';
import { missingOf, profileAddress, relianceText } from './status.ts';

/**
 * Shows the Yield of all counts together and where it would stand on the all-time board, beside all rows but the operator's own, and how
 * far that row can be relied on. The Yield is sent, the counts are not.
 */
export async function showExpectedStanding(
  totals: readonly Counts[],
  service: { readonly baseUrl: string; readonly codename: string | null },
  screen: Screen,
): Promise<object | null> {
  const { print, printWrapped, paint } = screen;
  const all = zeroCounts();
  for (const each of totals) addCounts(all, each);
  const yield_ = yieldOf(all);
  if (yield_ === null) return null;
  const board = await openBoard(service, 'all_time');
  const { missing, standing, reason } = await placeCounts(all, board);
  const figures = `Yield ${yieldText(yield_)}`;
  print('');
  if (standing !== null) {
    const bold = paint.bold(`${figures}, tier ${standing.class_tier}`);
    printWrapped(`${bold}: on the all-time board these counts would be ${placeText(standing)}.`);
    printWrapped(`${nextText(standing)} The service got the Yield, not the counts.`);
  } else if (missing.length > 0)
    printWrapped(`${paint.bold(figures)}. These counts have no rank yet: ${missing.map(missingText).join('; ')}.`);
  else printWrapped(`${paint.bold(figures)}. Rank and tier are unknown: ${reason}.`);
  const profile = typeof board === 'string' ? null : board.profile;
  // What it lacks of the floors is computed from the counts on this machine.
  const lacks = missingOf(profile ?? {}).filter(({ of }) => of === 'vouching_days' || of === 'acceptance');
  const page = profileAddress(service.baseUrl, service.codename ?? '');
  const reliance = profile === null ? '' : relianceText({ ...profile, missing: lacks }, page);
  if (reliance !== '') printWrapped(`Your row on the board at present: ${reliance}`);
  return { yield_, class_tier: null, rank: null, ...standing, missing, reason };
}

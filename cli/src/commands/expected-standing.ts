import type { Counts } from '../../../engine/contract/signing/index.ts';
import { missingIn, missingText } from '../../../engine/contract/unranked.ts';
import { BOARD_TIMEOUT_MS, fetchBoard, placeOn, tierOf } from '../net/public-board.ts';
import { placeText } from '../output/place-text.ts';
import { type Screen, yieldText } from '../output/screen.ts';
import { addCounts, zeroCounts } from '../store/usage.ts';
import { fetchProfile, profileAddress, showReliance } from './status.ts';

interface Service {
  readonly baseUrl: string;
  /** The operator's own entry is no competitor. */
  readonly codename: string | null;
}

/** Shows the Yield and tier of all counts together, and the rank computed here from the public board: no counts are sent. */
export async function showExpectedStanding(
  totals: readonly Counts[],
  service: Service,
  screen: Screen,
): Promise<object | null> {
  const { print, printWrapped, paint } = screen;
  const all = zeroCounts();
  for (const each of totals) addCounts(all, each);
  const yield_ = (all.cache_read * all.output) / (all.input * all.input);
  if (!Number.isFinite(yield_)) return null;
  const class_tier = tierOf(yield_);
  const board = await fetchBoard(service);
  const figures = paint.bold(`Yield ${yieldText(yield_)}, tier ${class_tier}`);
  print('');
  if (typeof board === 'string') {
    printWrapped(`${figures}. The rank is unknown: ${board}.`);
    const unknown = { rank: null, below: null, worst: null, total_operators: null };
    return { yield_, class_tier, ...unknown, reason: board, missing: [] };
  }
  const place = placeOn(board, yield_);
  const missing = missingIn(all, board.floors);
  if (missing.length > 0)
    printWrapped(`${figures}. These counts have no rank yet: ${missing.map(missingText).join('; ')}.`);
  else printWrapped(`${figures}: on the all-time board these counts would be ${placeText(place)}.`);
  await showPresentRow(service, screen);
  return { yield_, class_tier, ...place, reason: null, missing };
}

/** Shows whether the operator's present row is provisional, and its flags; nothing without a row. */
async function showPresentRow({ baseUrl, codename }: Service, screen: Screen): Promise<void> {
  if (codename === null || screen.json) return;
  const profile = await fetchProfile(baseUrl, codename, BOARD_TIMEOUT_MS).catch(() => null);
  // What it lacks is computed from the counts on this machine.
  if (profile !== null) showReliance({ ...profile, missing: [] }, profileAddress(baseUrl, codename), screen);
}

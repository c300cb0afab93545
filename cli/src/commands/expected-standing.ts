import type { Counts } from '../../../engine/contract/signing/index.ts';
import { CLASS_TIERS } from '../../../engine/contract/tiers.ts';
import { CliError } from '../cli-error.ts';
import { isObject } from '../json.ts';
import { exchange } from '../net/http.ts';
import { grouped, type Screen, yieldText } from '../output/screen.ts';
import { addCounts, zeroCounts } from '../store/usage-summary.ts';

/** The most entries that the service returns. */
const ENTRIES = 100;

/** How long a command that submits nothing waits for the board, in milliseconds. */
const BOARD_TIMEOUT_MS = 3_000;

interface Service {
  readonly baseUrl: string;
  /** The operator's own entry is no competitor. */
  readonly codename: string | null;
}

/**
 * Shows the Yield and the tier of all counts together, and the rank that they would have on the all-time board. The rank is
 * computed here from the public board: the counts are not sent.
 */
export async function showExpectedStanding(
  totals: readonly Counts[],
  service: Service,
  { print, printWrapped, paint }: Screen,
): Promise<object | null> {
  const all = zeroCounts();
  for (const each of totals) addCounts(all, each);
  const yield_ = (all.cache_read * all.output) / all.input ** 2;
  if (!Number.isFinite(yield_)) return null;
  const class_tier = CLASS_TIERS.findLast(({ from }) => from <= yield_)?.name ?? '';
  const place = await findPlace(yield_, service);
  const figures = paint.bold(`Yield ${yieldText(yield_)}, tier ${class_tier}`);
  print('');
  if (place.reason !== null) printWrapped(`${figures}. The rank is unknown: ${place.reason}.`);
  else {
    const rank = place.rank === null ? `below rank ${grouped(place.below)}` : `rank ${grouped(place.rank)}`;
    printWrapped(
      `${figures}: on the all-time board these counts would be ${rank} of ${grouped(place.total_operators)}.`,
    );
  }
  return { yield_, class_tier, ...place };
}

/** The place of a Yield among the first entries of the public board, or the reason why it is unknown. */
async function findPlace(yield_: number, { baseUrl, codename }: Service) {
  try {
    const url = `${baseUrl}/leaderboard?limit=${ENTRIES}`;
    const { status, body } = await exchange({ method: 'GET', url }, BOARD_TIMEOUT_MS);
    if (status !== 200 || !isObject(body) || !Array.isArray(body['entries']))
      return unknownPlace(`${url} is not a board`);
    const others = body['entries'].filter((entry) => isObject(entry) && entry['codename'] !== codename);
    const more = Math.max(0, Number(body['total_operators'] ?? 0) - body['entries'].length);
    const ahead = others.filter((entry) => entry['yield_'] > yield_).length;
    const total_operators = others.length + more + 1;
    const isBelow = more > 0 && ahead === others.length;
    const place = isBelow ? { rank: null, below: ahead } : { rank: ahead + 1, below: 0 };
    return { ...place, total_operators, reason: null };
  } catch (error) {
    if (error instanceof CliError) return unknownPlace(error.message);
    throw error;
  }
}

function unknownPlace(reason: string) {
  return { rank: null, below: null, total_operators: null, reason };
}

import { CLASS_TIERS } from '../../../engine/contract/tiers.ts';
import type { Window } from '../../../engine/contract/windows.ts';
import { CliError } from '../cli-error.ts';
import { hasShape, isObject, objectOf } from '../json.ts';
import { exchange } from './http.ts';
import { isProblem, problemError } from './problem.ts';

/** The most entries that the service returns. */
const ENTRIES = 100;

/** How long a command that submits nothing waits for the board, in milliseconds. */
export const BOARD_TIMEOUT_MS = 3_000;

/** The first entries of the public board, without the operator's own. */
export interface PublicBoard {
  /** Highest first. */
  readonly yields: readonly number[];
  /** Ranked operators after them. */
  readonly more: number;
  /** The floors that the service states. */
  readonly floors: Readonly<Record<keyof typeof FLOORS, number>>;
  /** The operator's present row; null where it is unknown or has no rank. */
  readonly own: RankedRow | null;
}

export interface RankedRow {
  readonly rank: number;
  readonly yield_: number;
  /** Whether the entries include it. */
  readonly isListed: boolean;
}

const FLOORS = { minimum_tokens: 'number', minimum_input: 'number', minimum_input_share: 'number' } as const;

/** The place that a Yield would have on a board. */
export type Place = ReturnType<typeof placeOn>;

/** Reads the public board, as anybody may. Returns the reason when it cannot be read. */
export async function fetchBoard(
  { baseUrl, codename }: { readonly baseUrl: string; readonly codename: string | null },
  window: Window = 'all_time',
): Promise<PublicBoard | string> {
  try {
    const url = `${baseUrl}/leaderboard?limit=${ENTRIES}${window === 'all_time' ? '' : `&window=${window}`}`;
    const response = await exchange({ method: 'GET', url }, BOARD_TIMEOUT_MS);
    if (isProblem(response)) return problemError(response, baseUrl).message;
    const { status, body } = response;
    const { entries: all, floors, total_operators } = objectOf(body);
    if (status !== 200 || !Array.isArray(all) || !hasShape(floors, FLOORS)) return `${url} is not a board`;
    const entries = all.filter(isObject);
    const others = entries.filter((entry) => entry['codename'] !== codename).map((entry) => Number(entry['yield_']));
    const own = entries.find((entry) => entry['codename'] === codename);
    const more = Math.max(0, Number(total_operators ?? 0) - entries.length);
    return { yields: others.sort((one, other) => other - one), more, floors, own: rankedRow(own, true) };
  } catch (error) {
    if (error instanceof CliError) return error.message;
    throw error;
  }
}

/** The rank and Yield of an entry or a standing; null when it has none. */
export function rankedRow(of: unknown, isListed: boolean): RankedRow | null {
  return hasShape(of, { rank: 'number', yield_: 'number' }) ? { rank: of.rank, yield_: of.yield_, isListed } : null;
}

/**
 * Where a Yield would be: one rank below the greater ones. Below the entries that are known the rank is null, after `below` ranks
 * and at lowest `worst`: the operator's present row is a bound for it.
 */
export function placeOn({ yields, more, own }: PublicBoard, yield_: number) {
  const ahead = yields.filter((each) => each > yield_).length;
  const total_operators = yields.length + more + (own?.isListed === false ? 0 : 1);
  let [below, worst] = [ahead, total_operators];
  if (more === 0 || ahead < yields.length) worst = ahead + 1;
  else if (own !== null) {
    if (yield_ >= own.yield_) worst = own.rank;
    if (yield_ <= own.yield_) below = Math.max(ahead, own.rank - 1);
  }
  return below + 1 === worst
    ? { rank: worst, below: 0, worst, total_operators }
    : { rank: null, below, worst, total_operators };
}

export function tierOf(yield_: number): string {
  return CLASS_TIERS.findLast(({ from }) => from <= yield_)?.name ?? '';
}

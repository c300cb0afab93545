import type { Floors, Missing } from '../../../engine/contract/unranked.ts';
import type { Window } from '../../../engine/contract/windows.ts';
import { CliError } from '../cli-error.ts';
import { hasShape, isObject, type JsonObject, objectOf, textOf } from '../json.ts';
import { baseUrlHint } from './client.ts';
import { exchange } from './http.ts';
import { foreignServerError, isProblem, printable, problemError } from './problem.ts';

/** How long a command that submits nothing waits for the board, in milliseconds. */
export const BOARD_TIMEOUT_MS = 3_000;

/** A board on which counts are placed. */
export interface Board {
  readonly baseUrl: string;
  readonly window: Window;
  /** The operator whose entry is left out of the ranking; null: none is. */
  readonly codename: string | null;
  /** The Yield of that entry; null without a rank. */
  readonly ownYield: number | null;
}

/** A board with the floors that it requires. */
export interface PublicBoard extends Board {
  readonly floors: Floors;
  /** The operator's; null where the service knows none: then there is no entry to leave out. */
  readonly profile: JsonObject | null;
}

const FLOORS = { minimum_tokens: 'number', minimum_input: 'number', minimum_input_share: 'number' } as const;
const STANDING = { rank: 'number', total_operators: 'number', percentile: 'number', class_tier: 'string' } as const;
const ROW = { codename: 'string', yield_: 'number' } as const;
const PLACE = { rank: 'number', yield_: 'number', class_tier: 'string' } as const;

/** Where a Yield stands: what the service returns. */
export type Standing = NonNullable<ReturnType<typeof readStanding>>;

/** Opens the board of a window, as anybody may read it. Returns the reason when it cannot be read. */
export function openBoard(
  { baseUrl, codename }: { readonly baseUrl: string; readonly codename: string | null },
  window: Window,
): Promise<PublicBoard | string> {
  return orReason(async () => {
    const [floors, profile] = await Promise.all([
      read(baseUrl, 'leaderboard', { window, limit: 1 }, (body) =>
        hasShape(body['floors'], FLOORS) ? body['floors'] : null,
      ),
      codename === null ? null : fetchProfile(baseUrl, codename, BOARD_TIMEOUT_MS),
    ]);
    return { ...boardOf(baseUrl, window, profile), profile, floors };
  });
}

/** The board of a window, for the operator of a profile. */
export function boardOf(baseUrl: string, window: Window, profile: JsonObject | null): Board {
  const row = window === 'all_time' ? profile : objectOf(profile?.['windows'])[window];
  const ownYield = hasShape(row, { rank: 'number', yield_: 'number' }) ? row.yield_ : null;
  return { baseUrl, window, codename: textOf(profile?.['codename']), ownYield };
}

/** The place that a Yield would have, beside all rows but the operator's own. Returns the reason when it cannot be read. */
export function fetchStanding(board: Board, yield_: number): Promise<Standing | string> {
  const { baseUrl, window, codename, ownYield } = board;
  return orReason(async () => {
    const without = codename === null ? {} : { without: codename };
    const standing = await read(baseUrl, 'standing', { window, yield: yield_, ...without }, readStanding);
    // A row that is settled has what lower Yields need too.
    return ownYield !== null && ownYield >= yield_ ? { ...standing, needs: [] } : standing;
  });
}

/** The Yield of the row of a rank among the others'; null after the last one. */
export async function fetchYieldOfRank(board: Board, rank: number): Promise<number | null> {
  const { baseUrl, window, codename, ownYield } = board;
  const query = { window, offset: rank - 1, limit: 2 };
  const [row, next] = await read(baseUrl, 'leaderboard', query, ({ entries }) =>
    Array.isArray(entries) ? entries.filter((entry) => hasShape(entry, ROW)) : null,
  );
  // The operator's own entry is this row or one before it, so that the next one has this rank among the others.
  const isAfterOwn = row !== undefined && ownYield !== null && ownYield >= row.yield_ && next?.codename !== codename;
  return (isAfterOwn ? next : row)?.yield_ ?? null;
}

/** The operator's public profile; null when the board has none. */
export async function fetchProfile(baseUrl: string, codename: string, timeoutMs?: number): Promise<JsonObject | null> {
  const url = `${baseUrl}/operators/${codename}`;
  const response = await exchange({ method: 'GET', url, hint: baseUrlHint(baseUrl) }, timeoutMs);
  if (isProblem(response) && response.status === 404) return null;
  if (isProblem(response) || response.status >= 500) throw problemError(response, baseUrl);
  if (response.status >= 300 || !isObject(response.body)) throw foreignServerError(baseUrl);
  return response.body;
}

/** What a public read returns, as far as `parse` takes it from the body. Throws where the service has an error, or `parse` returns null. */
export async function read<T>(
  baseUrl: string,
  path: string,
  query: Readonly<Record<string, string | number>>,
  parse: (body: JsonObject) => T | null,
): Promise<T> {
  const texts = Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`]);
  const url = `${baseUrl}/${path}?${new URLSearchParams(texts).toString()}`;
  const response = await exchange({ method: 'GET', url }, BOARD_TIMEOUT_MS);
  if (isProblem(response)) throw problemError(response, baseUrl);
  const parsed = response.status === 200 ? parse(objectOf(response.body)) : null;
  if (parsed === null) throw foreignServerError(baseUrl);
  return parsed;
}

async function orReason<T>(action: () => Promise<T>): Promise<T | string> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof CliError) return error.message;
    throw error;
  }
}

function readStanding(body: JsonObject) {
  const { needs, next_place, next_tier } = body;
  if (!hasShape(body, STANDING) || !Array.isArray(needs)) return null;
  const { rank, total_operators, percentile, class_tier } = body;
  return {
    rank,
    total_operators,
    percentile,
    class_tier: printable(class_tier),
    needs: needs.filter((need): need is Pick<Missing, 'of' | 'needs'> =>
      hasShape(need, { of: 'string', needs: 'number' }),
    ),
    next_place: readPlace(next_place),
    next_tier: readPlace(next_tier),
  };
}

function readPlace(value: unknown) {
  if (!hasShape(value, PLACE)) return null;
  const { rank, yield_, class_tier } = value;
  return { rank, yield_, class_tier: printable(class_tier) };
}

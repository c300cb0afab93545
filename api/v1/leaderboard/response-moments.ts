import type { BoardReader, Clock } from '../../../engine/ranking/index.ts';

/** Age from which responses are of a new moment, in milliseconds; with the response cache's 20 s, none is older than a minute. */
const RENEW_AFTER_MS = 30_000;

interface MomentSources {
  readonly board: Pick<BoardReader, 'view'>;
  /** Counts the listed operators; asked at most every `RENEW_AFTER_MS`, outside of requests. */
  readonly countListed: () => Promise<number>;
  readonly clock: Clock;
}

/**
 * The moment that responses of the leaderboard are of: the same until the board changes or half a minute has passed, so that equal
 * requests get equal responses. The returned function reads it.
 */
export function createResponseMoments({ board, countListed, clock }: MomentSources) {
  let listed: number | undefined;
  let countedAt = Number.NEGATIVE_INFINITY;
  const count = async (): Promise<void> => {
    countedAt = clock();
    // A former count is better than none.
    listed = await countListed().catch(() => listed);
  };
  const firstCount = count();
  let current = { generation: '', at: 0, listed };

  /** A clock that was set back makes everything old. */
  function isOld(since: number): boolean {
    const age = clock() - since;
    return age < 0 || age >= RENEW_AFTER_MS;
  }

  return async () => {
    await firstCount;
    const { generation, totals } = board.view();
    if (generation !== current.generation || isOld(current.at)) {
      if (isOld(countedAt)) void count();
      current = { generation, at: clock(), listed };
    }
    return {
      generated_at: new Date(current.at).toISOString(),
      // The count can be older than the board, and everybody who is ranked is listed. Undefined while they could not be counted.
      listed_operators: current.listed === undefined ? undefined : Math.max(current.listed, ...Object.values(totals)),
    };
  };
}

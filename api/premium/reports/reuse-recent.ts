import type { Answers } from '../../../engine/billing/index.ts';
import type { Clock } from '../../../engine/ranking/index.ts';

/** Maximum time for which an answer created for one buyer is reused for others, in milliseconds. */
const FRESH_MS = 60_000;

/** Returns a recent answer of a key, or creates one. Concurrent calls with one key share it. */
export type ReuseRecent = (key: string, operators: number, make: () => Promise<string>) => Promise<string>;

/**
 * An answer is reused for one millisecond per operator that it covers, up to `FRESH_MS`, so that expensive answers are created
 * rarely, and answers about small boards are current.
 */
export function reuseRecent(answers: Pick<Answers, 'newest'>, clock: Clock): ReuseRecent {
  const inFlight = new Map<string, Promise<string>>();
  return (key, operators, make) => {
    const known = inFlight.get(key);
    if (known !== undefined) return known;
    const find = async (): Promise<string> => {
      const since = clock() - Math.min(FRESH_MS, operators);
      return (await answers.newest(key, since)) ?? (await make());
    };
    const found = find().finally(() => inFlight.delete(key));
    inFlight.set(key, found);
    return found;
  };
}

import type { Answers } from '../../../engine/billing/index.ts';
import type { Clock } from '../../../engine/ranking/index.ts';

/** The longest that an answer made for one buyer is given to others, in milliseconds. */
const FRESH_MS = 60_000;

/** Gives the answer of a key that was made a moment ago, or makes a new one: together with whoever wants the same. */
export type KeepFresh = (key: string, operators: number, make: () => Promise<string>) => Promise<string>;

/**
 * A moment is a millisecond for each operator that the answer covers, so that what takes long to make is made seldom,
 * and small boards are as they are now.
 */
export function keepFresh(answers: Pick<Answers, 'newest'>, clock: Clock): KeepFresh {
  const making = new Map<string, Promise<string>>();
  return (key, operators, make) => {
    const known = making.get(key);
    if (known !== undefined) return known;
    const find = async (): Promise<string> => {
      const since = clock() - Math.min(FRESH_MS, operators);
      return (await answers.newest(key, since)) ?? (await make());
    };
    const found = find().finally(() => making.delete(key));
    making.set(key, found);
    return found;
  };
}

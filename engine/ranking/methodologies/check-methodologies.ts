import { z } from 'zod';
import { type Methodology, methodologySchema } from './methodology.ts';

/**
 * The methodologies by number. Throws with every problem at once when one is not what a methodology must be, when a number
 * comes twice, or when there is a gap: numbers are given in turn, and a missing one may have made a board somewhere.
 */
export function checkMethodologies(all: readonly Methodology[]): ReadonlyMap<number, Methodology> {
  const problems = all.flatMap((methodology, index) => {
    const parsed = methodologySchema.safeParse(methodology);
    const own = parsed.success ? [] : [`methodology ${methodology.id}: ${z.prettifyError(parsed.error)}`];
    return methodology.id === index + 1
      ? own
      : [...own, `methodology ${methodology.id} stands where ${index + 1} should`];
  });
  if (all.length === 0) problems.push('there must be a methodology');
  if (problems.length > 0) throw new Error(`the methodologies cannot be used:\n${problems.join('\n')}`);
  return new Map(all.map((methodology) => [methodology.id, methodology]));
}

import { z } from 'zod';
import { type Methodology, methodologySchema } from './methodology.ts';

/**
 * The methodologies by number. Throws one Error with all problems when one violates the schema or when the numbers are not
 * 1, 2, 3, …: a board somewhere may have been made under a missing one.
 */
export function checkMethodologies(all: readonly Methodology[]): ReadonlyMap<number, Methodology> {
  const problems = all.flatMap((methodology, index) => {
    const parsed = methodologySchema.safeParse(methodology);
    const own = parsed.success ? [] : [`methodology ${methodology.id}: ${z.prettifyError(parsed.error)}`];
    return methodology.id === index + 1
      ? own
      : [...own, `methodology ${methodology.id} is in the place of ${index + 1}`];
  });
  if (all.length === 0) problems.push('there must be a methodology');
  if (problems.length > 0) throw new Error(`invalid methodologies:\n${problems.join('\n')}`);
  return new Map(all.map((methodology) => [methodology.id, methodology]));
}

import { processEnvironment } from '../../config/env.ts';

/** Set to 1 by `npm run soak`. */
export const LONG_RUN = 'TEST_LONG_RUN';

/**
 * Number of repetitions of a seeded test: `short` in `npm test`, `long` in `npm run soak`, or the value of the environment
 * variable.
 */
export function runsOf(short: number, long: number, variable?: string): number {
  const environment = processEnvironment();
  const asked = variable === undefined ? undefined : environment[variable];
  if (asked !== undefined) return Number(asked);
  return environment[LONG_RUN] === '1' ? long : short;
}

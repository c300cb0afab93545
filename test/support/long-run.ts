import { processEnvironment } from '../../config/env.ts';

/** Set to 1 by `npm run soak`. */
export const LONG_RUN = 'TEST_LONG_RUN';

/**
 * How often a seeded test does what it repeats: `short` in `npm test`, `long` in `npm run soak`, or what the environment
 * variable says.
 */
export function runsOf(short: number, long: number, variable?: string): number {
  const environment = processEnvironment();
  const asked = variable === undefined ? undefined : environment[variable];
  if (asked !== undefined) return Number(asked);
  return environment[LONG_RUN] === '1' ? long : short;
}

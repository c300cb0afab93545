import type { History } from './history.ts';

/** Lies that honest operators could tell: nothing that is submitted shows them. */
export const PLAUSIBLE = new Set([
  'input-divided-by-3',
  'input-divided-by-10',
  'newcomer-of-a-billion',
  // Without any gain.
  'swapped-input-and-writes',
  'huge-past-then-one-turn',
  // Found where there are several days of growth.
  'five-mirrored-streams',
]);

/** Kinds that only a comparison with other operators shows. */
export const COPIES = /^copied-/;

/** Whether it has counts that are refused for their form. */
export const isRefused = ({ submissions }: History): boolean =>
  submissions.some(({ counts }) => Object.values(counts).some((count) => !Number.isSafeInteger(count)));

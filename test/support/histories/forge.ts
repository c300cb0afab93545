import { DAY_MS, MS_PER_SECOND } from '../../../config/units.ts';
import { countNumbers, countsAt } from '../../../engine/contract/signing/index.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { bySubmission, type History, PRESENT, type Submission } from './history.ts';
import { honestHistory } from './honest.ts';

/** Input, output, cache reads, cache writes. */
export type Four = readonly [number, number, number, number];

/** Totals at times, in days ago. */
export type Point = readonly [daysAgo: number, counts: Four];

/** The stream, platform and epoch of submissions. */
type Place = Partial<Pick<Submission, 'stream' | 'platform' | 'epoch'>>;

export type Forge = ReturnType<typeof openForge>;

export interface Forgery {
  readonly beyond: History['beyond'];
  readonly platform: string;
  readonly make: (forge: Forge) => readonly Submission[] | Pick<History, 'submissions' | 'original'>;
}

export type Forgeries = Readonly<Record<string, Forgery>>;

/** Honest operators write to the cache on the first, and not on the second. */
export const CLAUDE = 'claude-code';
export const CODEX = 'codex';

export const forgery = (beyond: Forgery['beyond'], make: Forgery['make'], platform = CLAUDE): Forgery => ({
  beyond,
  platform,
  make,
});

function moment(daysAgo: number): number {
  return Math.floor((PRESENT - daysAgo * DAY_MS) / MS_PER_SECOND) * MS_PER_SECOND;
}

/** What a forger has at hand. */
export function openForge(random: SeededRandom, platform: string) {
  const submission = ([daysAgo, counts]: Point, at: number, place: Place): Submission => {
    return {
      at,
      asOf: moment(daysAgo),
      stream: 'forged-ledger',
      platform,
      epoch: 0,
      ...place,
      counts: countsAt(counts),
    };
  };
  const roughly = (counts: Four): Four => times(counts, ...counts.map(() => 0.7 + 0.6 * random.next()));
  return {
    random,
    /** Counts about this large, different at each call. */
    roughly,
    /** Totals that grow every so many days by about so much. */
    rough: (days: number, counts: Four, every = 1): Point[] => growing(days, every, () => roughly(counts)),
    /** Submits totals at their times. */
    send: (points: readonly Point[], place: Place = {}): Submission[] =>
      points.map((point) => submission(point, moment(point[0]), place)),
    /** Submits past totals now. */
    sendLate: (points: readonly Point[], place: Place = {}): Submission[] =>
      points.map((point, index) => submission(point, moment(0) + index * MS_PER_SECOND, place)),
    /** An honest history of the forger's platform. */
    honest: (kind: string): History => honestHistory(random, kind, platform),
  };
}

/** Totals that grow until now from so many days ago. */
export function growing(days: number, every: number, growth: (step: number) => Four): Point[] {
  let sums: Four = [0, 0, 0, 0];
  return Array.from({ length: Math.round(days / every) + 1 }, (_, step) => {
    sums = plus(sums, growth(step));
    return [Math.max(0, days - step * every), sums];
  });
}

export const plus = (left: Four, right: Four): Four => [
  left[0] + right[0],
  left[1] + right[1],
  left[2] + right[2],
  left[3] + right[3],
];

export function times([input, output, reads, writes]: Four, ...factors: readonly number[]): Four {
  const by = (count: number, field: number): number => Math.round(count * (factors[field] ?? factors[0]!));
  return [by(input, 0), by(output, 1), by(reads, 2), by(writes, 3)];
}

/** Submissions with other counts. */
export const altered = (submissions: readonly Submission[], change: (counts: Four) => Four, place: Place = {}) =>
  submissions.map((each): Submission => ({ ...each, ...place, counts: countsAt(change(countNumbers(each.counts))) }));

/** So many parts' submissions, in their order. */
export const together = (count: number, part: (index: number) => readonly Submission[]): Submission[] =>
  Array.from({ length: count }, (_, index) => part(index))
    .flat()
    .sort(bySubmission);

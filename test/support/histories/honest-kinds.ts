import type { SeededRandom } from '../seeded-random.ts';
import type { AgentModel } from './sessions.ts';
import type { Schedule } from './usage.ts';

/** A change in how a ledger counts. */
export interface Restart {
  readonly daysAgo: number;
  /** Goes on as another ledger, rather than in a new epoch. */
  readonly newStream: boolean;
  /** Recounted: everything; reset: what came after, and of the logs the last `keptDays` days before. */
  readonly keptDays: number;
  /** By how much the counts before were too large: input, output, cache reads, cache writes. */
  readonly factors: readonly [number, number, number, number];
}

/** How an operator works and submits. */
export interface Habit extends Omit<Schedule, 'tapes'> {
  /** Median requests of a session. */
  readonly requests: number;
  readonly machines: number;
  readonly platforms: number;
  readonly model: Partial<AgentModel>;
  /** Another model, since so many days ago. */
  readonly switchedDaysAgo: number;
  /** Days ago on which the work moves from the first platform to the second. */
  readonly migratedDaysAgo: number;
  readonly firstSubmissionDaysAgo: number;
  /** Whether the first submission includes the ends of past days; 0.5: it is interrupted, and continues later. */
  readonly pastDays: 0 | 0.5 | 1;
  /** Hours between submissions; Infinity: there is one. */
  readonly everyHours: number;
  /** Probability that a submission is missed. */
  readonly missed: number;
  /** How far the machine's clock is ahead. */
  readonly clockAheadMinutes: number;
  /** Probability that a submission is repeated. */
  readonly repeated: number;
  readonly restart: Restart | null;
}

type HabitOf = (random: SeededRandom) => Partial<Habit>;

const workdays = (chance: number) => (_: number, weekday: number) => (weekday % 6 === 0 ? chance / 4 : chance);
const restart = (random: SeededRandom, change: Partial<Restart>): Partial<Habit> => ({
  firstSubmissionDaysAgo: random.integer(40, 120),
  restart: { daysAgo: random.integer(2, 35), newStream: false, keptDays: Infinity, factors: [1, 1, 1, 1], ...change },
});

/** A habit in the middle, which the kinds change. */
export function usualHabit(random: SeededRandom): Habit {
  const from = random.integer(0, 23);
  return {
    agents: random.integer(1, 2),
    hours: [from, from + random.integer(3, 10)],
    gapMinutes: random.integer(20, 120),
    maxSessionsADay: 40,
    firstDaysAgo: random.integer(20, 400),
    lastDaysAgo: 0,
    active: workdays(0.4 + random.next() * 0.6),
    scripted: false,
    requests: random.integer(10, 60),
    machines: 1,
    platforms: 1,
    model: {},
    switchedDaysAgo: -1,
    migratedDaysAgo: -1,
    firstSubmissionDaysAgo: random.integer(0, 100),
    pastDays: random.next() < 0.8 ? 1 : 0,
    everyHours: 24,
    missed: 0.1,
    clockAheadMinutes: 0,
    repeated: 0,
    restart: null,
  };
}

const overnight = { agents: 8, hours: [20, 30], gapMinutes: 1, requests: 150 } as const;
const newcomer = { firstDaysAgo: 1, firstSubmissionDaysAgo: 0, active: () => 1, hours: [0, 24] } as const;
const years = { firstDaysAgo: 2_000, firstSubmissionDaysAgo: 0 };

export const HONEST_KINDS: Readonly<Record<string, HabitOf>> = {
  steady: () => ({}),
  light: () => ({ agents: 1, maxSessionsADay: 2, requests: 8 }),
  'tiny-hobby': () => ({ agents: 1, maxSessionsADay: 1, requests: 4, active: () => 0.05, everyHours: 168 }),
  heavy: () => ({ agents: 4, hours: [7, 21], gapMinutes: 5, requests: 100, active: workdays(0.95) }),
  bursty: () => ({ active: (day) => (Math.floor(day / 5) % 4 === 0 ? 0.9 : 0.03), agents: 3 }),
  'weekend-only': () => ({ active: (_, weekday) => (weekday % 6 === 0 ? 0.8 : 0) }),
  'office-hours': () => ({ active: workdays(1), hours: [8, 17], gapMinutes: 15 }),
  'night-worker': () => ({ hours: [21, 29], active: () => 0.7 }),
  'two-machines': () => ({ machines: 2 }),
  'many-machines': (random) => ({ machines: random.integer(4, 6), maxSessionsADay: 4 }),
  'two-sources': () => ({ platforms: 2 }),
  'many-sources': () => ({ platforms: 4, maxSessionsADay: 5 }),
  'two-machines-two-sources': () => ({ machines: 2, platforms: 2 }),
  'cache-heavy': () => ({ requests: 250, model: { output: 120, toolResult: 250, loop: 60, hits: 0.995, ttl: 3_600 } }),
  'cache-less': () => ({ model: { style: 'none', base: 4_000, contextLimit: 60e3 } }),
  'ci-automation': () => ({ hours: [0, 24], gapMinutes: 60, requests: 30, active: () => 1, model: { loop: 1_000 } }),
  'ci-short-jobs': () => ({ hours: [0, 24], gapMinutes: 20, requests: 3, scripted: true, active: () => 1 }),
  'scheduled-job': () => ({ maxSessionsADay: 1, gapMinutes: 1, hours: [4, 6], scripted: true, active: () => 1 }),
  'batch-of-files': () => ({ agents: 4, scripted: true, requests: 6, gapMinutes: 2, active: () => 0.15 }),
  'years-at-once': () => ({ ...years, pastDays: 0, everyHours: Infinity }),
  'years-with-past-days': () => ({ ...years, pastDays: 1 }),
  'heavy-years-at-once': () => ({ ...years, pastDays: 0, agents: 4, hours: [7, 21], gapMinutes: 10, requests: 100 }),
  'past-days-then-daily': () => ({ pastDays: 1, firstSubmissionDaysAgo: 20, missed: 0 }),
  'interrupted-past-days': () => ({ pastDays: 0.5, firstSubmissionDaysAgo: 6 }),
  'newcomer-one-day': () => ({ ...newcomer, gapMinutes: 10 }),
  'newcomer-one-session': () => ({ ...newcomer, lastDaysAgo: 1, maxSessionsADay: 1, agents: 1, requests: 5 }),
  hourly: () => ({ everyHours: 1, missed: 0.05, firstSubmissionDaysAgo: 30 }),
  'hourly-heavy': () => ({ everyHours: 1, missed: 0.05, agents: 6, gapMinutes: 5, requests: 100 }),
  weekly: () => ({ everyHours: 168, firstSubmissionDaysAgo: 80 }),
  monthly: () => ({ everyHours: 720, firstSubmissionDaysAgo: 120 }),
  'machine-reset': (random) => restart(random, { keptDays: 0 }),
  'new-ledger': (random) => restart(random, { keptDays: 0, newStream: true }),
  'new-ledger-of-kept-logs': (random) => restart(random, { keptDays: 30, newStream: true }),
  'recount-similar': (random) => restart(random, { factors: [1.01, 0.98, 1, 1.02] }),
  'recount-input-falls-by-a-third': (random) => restart(random, { factors: [1.5, 1, 1, 1] }),
  'recount-output-doubles': (random) => restart(random, { factors: [1, 0.45, 1, 1] }),
  'recount-without-replays': (random) => restart(random, { factors: [3.4, 3.4, 3.4, 3.4] }),
  'recount-without-duplicates': (random) => restart(random, { factors: [2, 2, 2, 2] }),
  'long-holiday': () => ({ active: (day) => (day > 3 && day < 45 ? 0 : 0.7), firstSubmissionDaysAgo: 90 }),
  'model-switch': (random) => ({ switchedDaysAgo: random.integer(3, 60), firstDaysAgo: 200 }),
  'tool-switch': (random) => ({ platforms: 2, migratedDaysAgo: random.integer(3, 60), firstDaysAgo: 200 }),
  'tool-abandoned': () => ({ firstDaysAgo: 400, lastDaysAgo: 100, firstSubmissionDaysAgo: 20 }),
  'growing-use': () => ({ active: (day) => Math.exp(-day / 40), firstDaysAgo: 200 }),
  'swarm-overnight': () => ({ ...overnight, active: () => 0.3, model: { loop: 1_000 } }),
  'swarm-every-night': () => ({ ...overnight, active: () => 1, everyHours: 1, firstDaysAgo: 60 }),
  hackathon: () => ({ agents: 5, hours: [0, 24], gapMinutes: 3, active: (day) => (day < 3 ? 1 : 0.05) }),
  'sub-agents': () => ({ agents: 6, gapMinutes: 4, requests: 12, model: { loop: 1_000 } }),
  'long-context': () => ({ requests: 300, model: { contextLimit: 950e3, toolResult: 2_500, loop: 60, ttl: 3_600 } }),
  'chat-only': () => ({ requests: 6, model: { loop: 1, output: 900, base: 3_000, thinking: 200 } }),
  'verbose-writer': () => ({ model: { output: 2_500, toolResult: 300 } }),
  reviewer: () => ({ requests: 40, model: { output: 80, toolResult: 4_000 } }),
  'offline-laptop': (random) => ({ everyHours: 168, missed: 0.3, firstSubmissionDaysAgo: random.integer(30, 100) }),
  'clock-ahead': () => ({ clockAheadMinutes: 4 }),
  'clock-behind': () => ({ clockAheadMinutes: -7, everyHours: 1 }),
  'repeated-submissions': () => ({ repeated: 0.3 }),
  placeholders: () => ({ model: { placeholders: 0.75 } }),
  'thrifty-expert': () => ({ requests: 200, model: { uncached: 2, helpers: 0, loop: 40, output: 600, ttl: 3_600 } }),
};

import { DAY_MS, HOUR_MS, MINUTE_MS, MS_PER_SECOND } from '../../../config/units.ts';
import { COUNT_FIELDS, type Counts, MAX_SNAPSHOT_AGE_MS } from '../../../engine/contract/signing/index.ts';
import { type SeededRandom, seededRandom } from '../seeded-random.ts';
import { bySubmission, type History, mapCounts, PRESENT, type Submission, zero } from './history.ts';
import { type Habit, HONEST_KINDS, usualHabit } from './honest-kinds.ts';
import { type AgentModel, around, drawModel, recordSession, type Tape } from './sessions.ts';
import { SOURCE_MODELS, type SourceModel } from './source-models.ts';
import { simulateUsage, type Usage } from './usage.ts';

/** Readings are hourly at most since then, and daily before. */
const HOURLY_DAYS = 8;
const TAPES = 10;
const MAX_REQUESTS = 800;

/** The time in which a ledger's epoch counts, and what it counts of a usage. */
interface Phase {
  readonly from: number;
  readonly until: number;
  readonly stream: string;
  readonly epoch: number;
  readonly pastDays: Habit['pastDays'];
  /** It counts what came after. */
  readonly since: number;
  readonly factors: readonly number[];
}

/** `count` honest histories that end at `PRESENT`: the kinds in turn, each with another source every time. */
export function honestHistories(seed: number, count: number): History[] {
  const kinds = Object.keys(HONEST_KINDS);
  return Array.from({ length: count }, (_, index) => {
    const at = index % kinds.length;
    const source = SOURCE_MODELS[(at + Math.floor(index / kinds.length)) % SOURCE_MODELS.length]!;
    return honestHistory(seededRandom(seed + Math.imul(index, 0x9e3779b1)), kinds[at]!, source.platform);
  });
}

/** `change` has the last word on the habit of the kind. */
export function honestHistory(
  random: SeededRandom,
  kind: string,
  platform: string,
  change: (habit: Habit) => Habit = (habit) => habit,
): History {
  const habit = change({ ...usualHabit(random), ...HONEST_KINDS[kind]!(random) });
  const others = random.shuffled(SOURCE_MODELS.filter((source) => source.platform !== platform));
  const first = SOURCE_MODELS.find((source) => source.platform === platform)!;
  const submissions: Submission[] = [];
  for (let machine = 0; machine < habit.machines; machine++) {
    const phases = phasesOf(random, habit);
    for (const [index, source] of [first, ...others].slice(0, habit.platforms).entries()) {
      const usage = simulate(random, source, habit, index);
      for (const phase of phases) submissions.push(...submitPhase(random, source, habit, usage, phase));
    }
  }
  // A history without submissions is drawn again.
  if (submissions.length === 0) return honestHistory(random, kind, platform, change);
  return { kind, source: platform, honest: true, beyond: null, submissions: submissions.sort(bySubmission) };
}

/** A session of a length that is usual with a habit. */
export function anySession(random: SeededRandom, model: AgentModel, { requests }: Habit): Tape {
  const length = Math.round(around(random, requests, 0.8));
  return recordSession(random, model, Math.min(MAX_REQUESTS, Math.max(1, length)));
}

/** Lets the agents of a machine work with one source. */
function simulate(random: SeededRandom, source: SourceModel, habit: Habit, index: number): Usage {
  const models = [drawModel(random, source, habit.model), drawModel(random, source)];
  const tapes = models
    .slice(0, habit.switchedDaysAgo < 0 ? 1 : 2)
    .map((model) => Array.from({ length: TAPES }, () => anySession(random, model, habit)));
  const migrated = habit.migratedDaysAgo;
  const schedule = {
    ...habit,
    lastDaysAgo: migrated >= 0 && index === 0 ? migrated : habit.lastDaysAgo,
    firstDaysAgo: migrated >= 0 && index === 1 ? migrated : habit.firstDaysAgo,
    tapes: (daysAgo: number) => (daysAgo < habit.switchedDaysAgo ? tapes[1]! : tapes[0]!),
  };
  return simulateUsage(random, source, schedule);
}

function streamId(random: SeededRandom): string {
  const digits = (): string => Math.floor(random.next() * 36 ** 8).toString(36);
  return `${digits()}${digits()}`.padEnd(8, '0');
}

function phasesOf(random: SeededRandom, habit: Habit): Phase[] {
  const { restart, pastDays } = habit;
  const from = PRESENT - Math.min(habit.firstSubmissionDaysAgo, 125) * DAY_MS - random.integer(0, 59) * MINUTE_MS;
  const only = { from, until: PRESENT, stream: streamId(random), epoch: 0, pastDays, since: 0, factors: [1, 1, 1, 1] };
  if (restart === null) return [only];
  const changed = PRESENT - restart.daysAgo * DAY_MS - random.integer(0, 600) * MINUTE_MS;
  const again = {
    ...only,
    from: changed,
    ...(restart.newStream ? { stream: streamId(random) } : { epoch: 1 }),
    since: Math.max(0, changed - restart.keptDays * DAY_MS),
  };
  return [{ ...only, until: changed - MINUTE_MS, factors: restart.factors }, again];
}

/** The submissions of a phase: the ends of past days with the first, if wished, then the current totals. */
function submitPhase(
  random: SeededRandom,
  { platform }: SourceModel,
  habit: Habit,
  usage: Usage,
  phase: Phase,
): Submission[] {
  const { stream, epoch, factors } = phase;
  const ahead = Math.round(habit.clockAheadMinutes * MINUTE_MS * random.next());
  const base = phase.since === 0 ? zero : usage.at(phase.since);
  const made: Submission[] = [];
  const submit = (at: number, asOf: number, counts: Counts): void => {
    const whole = mapCounts(counts, (count, field) =>
      Math.round((count - base[field]) * factors[COUNT_FIELDS.indexOf(field)]!),
    );
    if (whole.input + whole.output === 0) return;
    made.push({ at: toSecond(at), asOf: toSecond(asOf), stream, platform, epoch, counts: whole });
  };
  const current = (at: number): void => submit(at, at + ahead, usage.at(at));

  let last = zero;
  const known = usage.at(phase.from);
  const oldest = Math.max(phase.since, phase.from - MAX_SNAPSHOT_AGE_MS + HOUR_MS);
  let at = phase.from - (phase.pastDays > 0 ? 5 * MINUTE_MS : 0);
  for (let end = nextDay(oldest); phase.pastDays > 0 && end < phase.from; end += DAY_MS) {
    const dated = usage.dayEnd(end);
    // A session that goes on is known only as far as it went, and never less than at the restart.
    const counts = mapCounts(dated, (count, field) => Math.max(base[field], Math.min(count, known[field])));
    if (COUNT_FIELDS.every((field) => counts[field] === last[field])) continue;
    if (phase.pastDays === 0.5 && at < phase.from && random.next() < 0.1) at += random.integer(1, 40) * HOUR_MS;
    if (at - end < MAX_SNAPSHOT_AGE_MS) submit(Math.max(at, end), end - MS_PER_SECOND, counts);
    last = counts;
  }
  current(phase.from);
  const step = habit.everyHours * HOUR_MS;
  const hourly = PRESENT - HOURLY_DAYS * DAY_MS;
  for (let time = phase.from; ; ) {
    time += time < hourly ? Math.max(step, DAY_MS) : step;
    if (time > phase.until) break;
    if (random.next() < habit.missed) continue;
    const late = random.integer(0, 5) * MINUTE_MS;
    if (time + late > phase.until) break;
    current(time + late);
    if (random.next() < habit.repeated) submit(time + late + MINUTE_MS, time + late + ahead, usage.at(time + late));
  }
  return made;
}

function toSecond(time: number): number {
  return Math.floor(time / MS_PER_SECOND) * MS_PER_SECOND;
}

function nextDay(time: number): number {
  return Math.ceil(time / DAY_MS) * DAY_MS;
}

import { DAY_MS, HOUR_MS } from '../../../config/units.ts';
import { COUNT_FIELDS, MAX_COUNT, MAX_SNAPSHOT_AGE_MS } from '../../../engine/contract/signing/index.ts';
import type { Reference } from '../../../engine/integrity/index.ts';
import { seededRandom } from '../seeded-random.ts';
import { forgedHistories } from './forged.ts';
import { bySubmission, type History, isRefused, mapCounts, PRESENT, type Submission } from './history.ts';
import { honestHistory } from './honest.ts';
import { type Habit, HONEST_KINDS } from './honest-kinds.ts';
import { KNOWING_KINDS, knowingSubmissions } from './knowing.ts';
import { SOURCE_MODELS } from './source-models.ts';
import { seriesOf } from './violation.ts';

/** Who takes part in a trial of so many days that ends at `PRESENT`. */
export interface TrialAccount {
  readonly kind: string;
  /** Those who lie know no rule, or all, or submit the log of somebody else. */
  readonly role: 'honest' | 'crude' | 'knowing' | 'copy';
  /** In the order of `at`. */
  readonly submissions: readonly Submission[];
  /** Whether it submits every day. */
  readonly isDaily: boolean;
  /** Whose log it copies. */
  readonly victim?: TrialAccount;
}

const PLATFORMS = SOURCE_MODELS.slice(0, 9).map(({ platform }) => platform);
/** One in so many honest operators joins later than the others. */
const LATE = 5;
/** Series of one forgery that are carried on. */
const MAX_SERIES = 8;
/** Days with use that a log has to have within ten days for somebody to copy it. */
const COPIED_DAYS = 8;

/** The kinds in turn, each with another of nine platforms every time. */
export function honestAccounts(seed: number, count: number, days: number): TrialAccount[] {
  const kinds = Object.keys(HONEST_KINDS);
  return Array.from({ length: count }, (_, index) => {
    const random = seededRandom(seed + Math.imul(index, 0x9e3779b1));
    const at = index % kinds.length;
    const platform = PLATFORMS[(at + Math.floor(index / kinds.length)) % PLATFORMS.length]!;
    const joined = index % LATE === 0 ? random.integer(1, days) : days;
    let isDaily = true;
    const { kind, submissions } = honestHistory(random, kinds[at]!, platform, (habit) => {
      isDaily = habit.everyHours <= 24;
      return inTrial(habit, joined, isDaily);
    });
    return { kind, role: 'honest', submissions: submissions.filter(isYoung), isDaily };
  });
}

/** The habit of somebody who joins a trial so many days before its end. */
function inTrial(habit: Habit, joined: number, isDaily: boolean): Habit {
  const restart = habit.restart && { ...habit.restart, daysAgo: Math.min(habit.restart.daysAgo, joined / 2) };
  return { ...habit, ...(isDaily && { everyHours: 24, missed: 0 }), restart, firstSubmissionDaysAgo: joined };
}

/** Half as many kinds as accounts: each lie is told at the start, and then goes on day by day at its pace. */
export function crudeAccounts(seed: number, count: number, days: number): TrialAccount[] {
  const told = [seed, seed + 1].map((each) =>
    forgedHistories(each).filter((one) => one.original === undefined && !isRefused(one)),
  );
  const chosen = seededRandom(seed).shuffled([...told[0]!.keys()]);
  return Array.from({ length: count }, (_, index) => {
    const history = told[index % 2]![chosen[index >> 1]!]!;
    return { kind: history.kind, role: 'crude', submissions: carriedOn(history, days), isDaily: true };
  });
}

function carriedOn(history: History, days: number): Submission[] {
  const start = PRESENT - days * DAY_MS + HOUR_MS;
  const shift = start - Math.max(...history.submissions.map(({ asOf }) => asOf));
  const series = seriesOf(history).slice(-MAX_SERIES);
  const told = series.flatMap((own) =>
    own
      .map((each) => ({ ...each, at: start, asOf: each.asOf + shift }))
      .filter(({ asOf }, index, all) => dayOf(asOf) !== dayOf(all[index + 1]?.asOf ?? 0))
      .filter(isYoung),
  );
  const later = series.flatMap((own) => {
    const last = own.at(-1)!;
    const pace = 1 / Math.max(1, (last.asOf - own[0]!.asOf) / DAY_MS);
    return Array.from({ length: days }, (_, day) => {
      const at = start + (day + 1) * DAY_MS;
      const grown = 1 + (day + 1) * pace;
      return {
        ...last,
        at,
        asOf: at,
        counts: mapCounts(last.counts, (of) => Math.min(MAX_COUNT, Math.round(of * grown))),
      };
    });
  });
  return [...told, ...later].sort(bySubmission);
}

/** Whether it is accepted, even a day later. */
const isYoung = ({ at, asOf }: Submission): boolean => asOf > at - MAX_SNAPSHOT_AGE_MS + DAY_MS;
const dayOf = (time: number): number => Math.floor(time / DAY_MS);

export function knowingAccounts(seed: number, count: number, days: number, reference: Reference): TrialAccount[] {
  const kinds = seededRandom(seed).shuffled(KNOWING_KINDS);
  return Array.from({ length: count }, (_, index) => {
    const random = seededRandom(seed + Math.imul(index + 1, 0xc2b2ae35));
    const kind = kinds[(index >> 1) % kinds.length]!;
    const platform = random.pick(PLATFORMS);
    const of = reference.platforms[platform] ?? reference.all;
    const start = PRESENT - days * DAY_MS + HOUR_MS;
    const submissions = knowingSubmissions(random, kind, { platform, start, days, of });
    return { kind: kind.join(' '), role: 'knowing', submissions, isDaily: true };
  });
}

/** Copies of whole logs of people who work on most days: an hour later, and a day later. */
export function copyAccounts(seed: number, count: number, honest: readonly TrialAccount[]): TrialAccount[] {
  const worth = honest.filter((one) => {
    const tenDays = one.submissions[0]!.at + 10 * DAY_MS;
    return one.isDaily && daysWithUse(one, tenDays).length >= COPIED_DAYS;
  });
  const victims = seededRandom(seed).shuffled(worth).slice(0, count);
  return victims.map((victim, index) => {
    const later = index % 2 === 0 ? HOUR_MS : DAY_MS + HOUR_MS;
    const submissions = victim.submissions
      .map((each) => ({ ...each, at: each.at + later, stream: `copied-${each.stream}` }))
      .filter((each) => isYoung(each) && each.at < PRESENT + 2 * HOUR_MS);
    const kind = `${index % 2 === 0 ? 'same-day' : 'day-later'} of ${victim.kind}`;
    return { kind, role: 'copy', submissions, isDaily: true, victim };
  });
}

/** The days on which its totals at that time have grown since the last ones. */
export function daysWithUse({ submissions }: TrialAccount, until = Number.POSITIVE_INFINITY): number[] {
  const known = new Map<string, Submission>();
  const grown = new Set<number>();
  for (const each of submissions) {
    if (each.at > until) break;
    const key = `${each.stream} ${each.platform} ${each.epoch}`;
    const before = known.get(key)?.counts;
    const isLive = each.at - each.asOf < HOUR_MS;
    if (isLive && COUNT_FIELDS.some((field) => each.counts[field] > (before?.[field] ?? 0))) grown.add(dayOf(each.at));
    known.set(key, each);
  }
  return [...grown];
}

import { DAY_MS, HOUR_MS, MS_PER_SECOND } from '../../../config/units.ts';
import { type Counts, countsAt } from '../../../engine/contract/signing/index.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { PRESENT, zero } from './history.ts';
import type { Tape } from './sessions.ts';
import type { SourceModel } from './source-models.ts';

/** Hours before this many days ago count together. */
const RECENT_DAYS = 130;
const HOURS = RECENT_DAYS * 24;
const HOUR_SECONDS = 3_600;

/** When agents work. Hours are UTC. */
export interface Schedule {
  readonly agents: number;
  readonly hours: readonly [number, number];
  /** Mean minutes between an agent's sessions. */
  readonly gapMinutes: number;
  readonly maxSessionsADay: number;
  readonly firstDaysAgo: number;
  readonly lastDaysAgo: number;
  /** Probability of work on a day. `weekday`: 0 is Sunday. */
  readonly active: (daysAgo: number, weekday: number) => number;
  /** The tapes that sessions of a day are taken from. */
  readonly tapes: (daysAgo: number) => readonly Tape[];
  /** Each session is the whole of its tape. */
  readonly scripted: boolean;
}

/** A ledger's counts of one platform. Times are milliseconds since the epoch. */
export interface Usage {
  /** The totals that the tool counts at a time: of full hours before it. */
  readonly at: (time: number) => Counts;
  /** The totals up to the end of a day, by the dates of records. */
  readonly dayEnd: (time: number) => Counts;
}

/** Lets agents work until `PRESENT`. */
export function simulateUsage(random: SeededRandom, source: SourceModel, plan: Schedule): Usage {
  const today = Math.floor(PRESENT / DAY_MS);
  const start = (today - RECENT_DAYS + 1) * DAY_MS;
  const counted = new Float64Array((HOURS + 1) * 4);
  const dated = source.dated === 'start' ? new Float64Array((HOURS + 1) * 4) : counted;
  const until = (PRESENT - start) / MS_PER_SECOND;
  const free = new Float64Array(plan.agents).fill(-Infinity);
  const first = Math.min(plan.firstDaysAgo, today - Math.floor(source.since / DAY_MS) - 1);
  for (let daysAgo = first; daysAgo >= plan.lastDaysAgo; daysAgo--) {
    const day = today - daysAgo;
    if (random.next() >= plan.active(daysAgo, (day + 4) % 7)) continue;
    const midnight = (day * DAY_MS - start) / MS_PER_SECOND;
    const tapes = plan.tapes(daysAgo);
    for (let agent = 0; agent < plan.agents; agent++) {
      let time = Math.max(free[agent]!, midnight + plan.hours[0] * HOUR_SECONDS);
      for (let session = 0; session < plan.maxSessionsADay; session++) {
        time += -Math.log(1 - random.next()) * plan.gapMinutes * 60;
        if (time >= midnight + plan.hours[1] * HOUR_SECONDS) break;
        const tape = random.pick(tapes);
        const whole = plan.scripted || random.next() < 0.5;
        const requests = whole ? tape.seconds.length : random.integer(1, tape.seconds.length);
        const end = time + tape.seconds[requests - 1]!;
        if (end > until) break;
        const extra = extraOf(random, tape, requests, plan.scripted);
        if (source.dated === 'end') addSession(counted, tape, requests, extra, end, 0);
        else addSession(counted, tape, requests, extra, time, 1);
        if (source.dated === 'start') addSession(dated, tape, requests, extra, time, 0);
        time = end;
      }
      free[agent] = time;
    }
  }
  addUp(counted);
  if (dated !== counted) addUp(dated);
  return { at: readerOf(counted, start), dayEnd: readerOf(dated, start) };
}

/** Counts by which a session differs from its tape: another length of the first prompt and of some outputs. */
function extraOf(random: SeededRandom, { style }: Tape, requests: number, scripted: boolean): readonly number[] {
  const prompt = random.integer(0, scripted ? 20 : 600);
  const repeated = prompt * (requests - 1);
  const output = random.integer(0, 3 * requests);
  if (style === 'explicit') return [0, output, repeated, prompt];
  if (style === 'none') return [prompt + repeated, output, 0, 0];
  return [style === 'inclusive' ? prompt + repeated : prompt, output, repeated, 0];
}

/** Adds a session to hours; wholly to its first hour when it is not `spread`. `from`: seconds since the first hour. */
function addSession(
  hours: Float64Array,
  { seconds, counts }: Tape,
  requests: number,
  extra: readonly number[],
  from: number,
  spread: 0 | 1,
): void {
  let done = 0;
  let hour = Math.max(0, Math.floor(from / HOUR_SECONDS));
  for (let field = 0; field < 4; field++) hours[hour * 4 + field]! += extra[field]!;
  while (done < requests) {
    let next = requests;
    const rest = (hour + 1) * HOUR_SECONDS - from;
    if (spread === 1 && seconds[requests - 1]! >= rest) {
      // The first request that ends after this hour.
      let low = done;
      while (low < next) {
        const middle = (low + next) >> 1;
        if (seconds[middle]! < rest) low = middle + 1;
        else next = middle;
      }
    }
    for (let field = 0; field < 4; field++) {
      const before = done === 0 ? 0 : counts[(done - 1) * 4 + field]!;
      if (next > done) hours[hour * 4 + field]! += counts[(next - 1) * 4 + field]! - before;
    }
    done = next;
    hour++;
  }
}

/** Sums of all hours up to each, in place. */
function addUp(hours: Float64Array): void {
  for (let index = 4; index < hours.length; index++) hours[index]! += hours[index - 4]!;
}

function readerOf(sums: Float64Array, start: number): (time: number) => Counts {
  return (time) => {
    const hours = Math.min(HOURS, Math.floor((time - start) / HOUR_MS));
    return hours <= 0 ? zero : countsAt(sums, (hours - 1) * 4);
  };
}

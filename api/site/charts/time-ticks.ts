import { DAY_MS, HOUR_MS } from '../../../config/units.ts';

/** Steps of the axis: hours, days, weeks, about a month. */
const STEPS_MS = [1, 3, 6, 12].map((hours) => hours * HOUR_MS).concat([1, 2, 7, 14, 30].map((days) => days * DAY_MS));

/** Maximum ticks that fit under a chart. */
const MAX_TICKS = 5;

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });

/** A moment on a time axis, in milliseconds since the epoch, and its label: the day or the time (UTC). */
export interface TimeTick {
  readonly at: number;
  readonly label: string;
}

/** At most `MAX_TICKS` full hours or days between two moments; the two moments when fewer than two fit. */
export function timeTicks(from: number, until: number): readonly TimeTick[] {
  const step = STEPS_MS.find((candidate) => (until - from) / candidate < MAX_TICKS) ?? stepOfMonths(until - from);
  const first = Math.ceil(from / step) * step;
  const count = Math.floor((until - first) / step) + 1;
  const moments = count >= 2 ? Array.from({ length: count }, (_, index) => first + index * step) : [from, until];
  return moments.map((at) => ({ at, label: at % DAY_MS === 0 ? DAY.format(at) : CLOCK.format(at) }));
}

function stepOfMonths(span: number): number {
  const month = STEPS_MS.at(-1) ?? DAY_MS;
  return month * Math.ceil(span / month / (MAX_TICKS - 1));
}

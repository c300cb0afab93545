import type { Window } from '../../../contract/windows.ts';

/** Time inside the engine: whole hours (UTC) since the epoch. Hour h lasts from h × HOUR_MS until (h + 1) × HOUR_MS. */
export const HOUR_MS = 3_600_000;
const HOURS_A_DAY = 24;
const HOURS_A_WEEK = 168;

/** Days of the windows that begin at a UTC midnight. */
const MIDNIGHT_WINDOW_DAYS = { '30d': 30, '90d': 90 } as const;

/** The hour in which a moment (milliseconds since the epoch) lies. */
export function hourOf(milliseconds: number): number {
  return Math.floor(milliseconds / HOUR_MS);
}

/** The day (UTC, since the epoch) in which an hour lies. */
export function dayOf(hour: number): number {
  return Math.floor(hour / HOURS_A_DAY);
}

/** The first hour of a day. */
export function firstHourOf(day: number): number {
  return day * HOURS_A_DAY;
}

/** The last hour of a day. */
export function lastHourOf(day: number): number {
  return day * HOURS_A_DAY + HOURS_A_DAY - 1;
}

/** The hour with whose beginning a window begins, seen from `hour`; null for `all_time`, which has no beginning. */
export function windowStart(window: Window, hour: number): number | null {
  switch (window) {
    case 'all_time':
      return null;
    case '7d':
      return hour - HOURS_A_WEEK;
    case '30d':
    case '90d':
      return firstHourOf(dayOf(hour) - MIDNIGHT_WINDOW_DAYS[window]);
  }
}

/** The first hour from which a window begins after `sampleHour` has ended; null when no window start ever passes it. */
export function passedAt(window: Window, sampleHour: number): number | null {
  switch (window) {
    case 'all_time':
      return null;
    case '7d':
      return sampleHour + 1 + HOURS_A_WEEK;
    case '30d':
    case '90d':
      return firstHourOf(dayOf(sampleHour) + 1 + MIDNIGHT_WINDOW_DAYS[window]);
  }
}

import { HOUR_MS } from '../../../../config/units.ts';
import type { Window } from '../../../contract/windows.ts';

// The engine counts time in hours (UTC) since the Unix epoch. Hour h is [h × HOUR_MS, (h + 1) × HOUR_MS).
const HOURS_A_DAY = 24;
const HOURS_A_WEEK = 168;

/** Days of the windows that start at a UTC midnight. */
const MIDNIGHT_WINDOW_DAYS = { '30d': 30, '90d': 90 } as const;

/** The hour of a time in milliseconds since the epoch. */
export function hourOf(milliseconds: number): number {
  return Math.floor(milliseconds / HOUR_MS);
}

/** The day (UTC, since the epoch) of an hour. */
export function dayOf(hour: number): number {
  return Math.floor(hour / HOURS_A_DAY);
}

export function firstHourOf(day: number): number {
  return day * HOURS_A_DAY;
}

export function lastHourOf(day: number): number {
  return day * HOURS_A_DAY + HOURS_A_DAY - 1;
}

/** The first hour of a window as of `hour`; null for `all_time`, which has no start. */
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

/** The first hour as of which the window starts after the end of `sampleHour`; null for `all_time`. */
export function expiryHour(window: Window, sampleHour: number): number | null {
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

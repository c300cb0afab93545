import { HOUR_MS } from '../../../../config/units.ts';
import type { WindowStart } from '../../../contract/windows.ts';

// The engine counts time in hours (UTC) since the Unix epoch. Hour h is [h × HOUR_MS, (h + 1) × HOUR_MS).
export const HOURS_A_DAY = 24;

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

/** The first hour of a window as of `hour`; null for a window without a start. */
export function windowStart(start: WindowStart, hour: number): number | null {
  if (start === null) return null;
  return 'hours' in start ? hour - start.hours : firstHourOf(dayOf(hour) - start.days);
}

/** The first hour as of which a window starts after the end of `sampleHour`; null for a window without a start. */
export function expiryHour(start: WindowStart, sampleHour: number): number | null {
  if (start === null) return null;
  return 'hours' in start ? sampleHour + 1 + start.hours : firstHourOf(dayOf(sampleHour) + 1 + start.days);
}

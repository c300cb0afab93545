/** The hours since the epoch that a moment names: from `from`, before `until`. */
export interface HourRange {
  readonly from: number;
  readonly until: number;
}

const MOMENT = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}):00(?::00(?:\.0{1,3})?)?Z)?$/;
const HOUR_MS = 3_600_000;
const HOURS_A_DAY = 24;

/** Reads an hour (`2026-11-28T14:00Z`) or a day (`2026-11-28`) in UTC; null for any other text. */
export function readMoment(text: string): HourRange | null {
  const [, day, hour = '00'] = MOMENT.exec(text) ?? [];
  if (day === undefined) return null;
  const at = new Date(`${day}T${hour}:00:00.000Z`);
  // The calendar has no February 30: a date is read as another one, or not at all.
  if (Number.isNaN(at.getTime()) || !at.toISOString().startsWith(`${day}T${hour}`)) return null;
  const from = at.getTime() / HOUR_MS;
  return { from, until: from + (text === day ? HOURS_A_DAY : 1) };
}

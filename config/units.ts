export const MS_PER_SECOND = 1_000;
export const MICROSECONDS_PER_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Such as "4 May 2026", in UTC. */
export function readableDay(at: number): string {
  const moment = new Date(at);
  return `${moment.getUTCDate()} ${MONTHS[moment.getUTCMonth()]} ${moment.getUTCFullYear()}`;
}

/** Such as "4 May 2026, 12:00 UTC". */
export function readableMinute(at: number): string {
  return `${readableDay(at)}, ${new Date(at).toISOString().slice(11, 16)} UTC`;
}

/** Such as "1 second" and "30 seconds". */
export function secondsText(seconds: number): string {
  return `${seconds} second${seconds === 1 ? '' : 's'}`;
}

/** Bytes. */
export const MIB = 1_048_576;

export const MS_PER_SECOND = 1_000;
export const MICROSECONDS_PER_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Such as "1 second" and "30 seconds". */
export function secondsText(seconds: number): string {
  return `${seconds} second${seconds === 1 ? '' : 's'}`;
}

/** Bytes. */
export const MIB = 1_048_576;

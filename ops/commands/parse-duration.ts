import { InvalidArgumentError } from 'commander';

const UNIT_SECONDS = { s: 1, m: 60, h: 60 * 60, d: 24 * 60 * 60 } as const;

const DURATION = /^([1-9][0-9]{0,8})([smhd])$/;

/** Reads `90s`, `30m`, `1h` or `1d` as seconds. */
export function parseDuration(text: string): number {
  const [, amount, unit] = DURATION.exec(text) ?? [];
  if (amount === undefined || !isUnit(unit)) {
    throw new InvalidArgumentError('Give a number and a unit, such as 90s, 30m, 1h or 1d.');
  }
  return Number(amount) * UNIT_SECONDS[unit];
}

/** Seconds in words, in the largest unit that divides them. */
export function durationText(seconds: number): string {
  const units = [
    ['day', UNIT_SECONDS.d],
    ['hour', UNIT_SECONDS.h],
    ['minute', UNIT_SECONDS.m],
    ['second', UNIT_SECONDS.s],
  ] as const;
  const [name, size] = units.find(([, each]) => seconds >= each && seconds % each === 0) ?? units[3];
  const amount = seconds / size;
  return `${amount} ${name}${amount === 1 ? '' : 's'}`;
}

function isUnit(text: string | undefined): text is keyof typeof UNIT_SECONDS {
  return text !== undefined && Object.hasOwn(UNIT_SECONDS, text);
}

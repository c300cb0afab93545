import { readlinkSync } from 'node:fs';
import { CliError } from '../cli-error.ts';
import type { Environment } from '../environment.ts';

const DAY_SECONDS = 86_400;
const MINUTE_SECONDS = 60;

/** Where days begin. */
export interface TimeZone {
  /** As the output names it. */
  readonly name: string;
  /** Seconds by which local time is ahead of UTC at a moment, in seconds since the epoch. */
  readonly offsetAt: (seconds: number) => number;
}

/** The zone with this name, or without one the system's. */
export function openTimeZone(name: string | undefined, env: Environment): TimeZone {
  return name === undefined ? systemZone(env) : namedZone(name);
}

/** The local day of a moment, as a number of days since 1970-01-01. */
export function localDay(seconds: number, { offsetAt }: TimeZone): number {
  return Math.floor((seconds + offsetAt(seconds)) / DAY_SECONDS);
}

/** `2026-05-31`: a number of days since 1970-01-01. */
export function dayText(day: number): string {
  return new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, 10);
}

/** The moment at which a local day begins, in seconds since the epoch; where clocks change then, at most an hour off. */
export function startOfDay(day: number, { offsetAt }: TimeZone): number {
  const utc = day * DAY_SECONDS;
  return utc - offsetAt(utc - offsetAt(utc));
}

/** `2026-05-31 14:45`: a moment in local time. */
export function localTime(seconds: number, { offsetAt }: TimeZone): string {
  return new Date((seconds + offsetAt(seconds)) * 1000).toISOString().slice(0, 16).replace('T', ' ');
}

/** Without `Intl`, which takes longer to load than a view takes. */
function systemZone(env: Environment): TimeZone {
  return { name: systemName(env) ?? offsetName(systemOffsetAt(Date.now() / 1000)), offsetAt: byDay(systemOffsetAt) };
}

function systemOffsetAt(seconds: number): number {
  return -new Date(seconds * 1000).getTimezoneOffset() * MINUTE_SECONDS;
}

function systemName(env: Environment): string | null {
  const given = env.variable('TZ')?.replace(/^:/, '');
  if (given !== undefined) return given;
  try {
    return /zoneinfo\/(?:posix\/|Etc\/(?=UTC))?(.+)$/.exec(readlinkSync('/etc/localtime'))?.[1] ?? null;
  } catch {
    return null;
  }
}

function offsetName(offset: number): string {
  const minutes = Math.abs(offset) / MINUTE_SECONDS;
  const digits = [Math.floor(minutes / 60), minutes % 60].map((each) => `${each}`.padStart(2, '0'));
  return `UTC${offset < 0 ? '-' : '+'}${digits.join(':')}`;
}

function namedZone(name: string): TimeZone {
  const format = openFormat(name);
  const readOffset = (seconds: number): number => {
    const text = format.formatToParts(seconds * 1000).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes, rest] = /GMT([+-])(\d+):(\d+)(?::(\d+))?/.exec(text) ?? [];
    const size = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * MINUTE_SECONDS + Number(rest ?? 0);
    return sign === '-' ? -size : size;
  };
  return { name, offsetAt: byDay(readOffset) };
}

/** The offset of a moment, read once for most days: those that begin and end with the same one. */
function byDay(readOffset: (seconds: number) => number): (seconds: number) => number {
  /** By UTC day, at its start. */
  const known = new Map<number, number>();
  const atStartOf = (day: number): number => {
    let offset = known.get(day);
    if (offset === undefined) known.set(day, (offset = readOffset(day * DAY_SECONDS)));
    return offset;
  };
  return (seconds) => {
    const day = Math.floor(seconds / DAY_SECONDS);
    const offset = atStartOf(day);
    return offset === atStartOf(day + 1) ? offset : readOffset(seconds);
  };
}

function openFormat(name: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  } catch {
    const message = `unknown time zone "${name}"`;
    throw new CliError('usage', 'settings_invalid', message, 'Use a name such as Europe/Berlin or UTC.');
  }
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stepTo } from '../support/stepped-clock.ts';

const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;

/** The clocks of a service's processes. All show the same time, unless one of them was stepped away from it. */
export interface OwnClocks {
  /** The time that they should show, in milliseconds since the epoch. */
  now(): number;
  /** The file that a process's clock follows. */
  fileOf(name: string): string;
  /** Steps a process's clock away from the right time by so many milliseconds; 0 puts it right. */
  stepAway(name: string, byMs: number): void;
  /** Lets time pass for all of them at once: to so many milliseconds before the next hour, unless it is as late as that. */
  toHoursEnd(beforeMs: number): void;
  /**
   * Lets time pass until it is as late as any clock ever showed, and by an hour more when one was set back: groups named by
   * a clock that was late by minutes are looked for once an hour, should their jobs be lost.
   */
  catchUp(): void;
  close(): void;
}

export function openOwnClocks(names: readonly string[]): OwnClocks {
  const folder = mkdtempSync(join(tmpdir(), 'upsilon-clocks-'));
  const away = new Map(names.map((name) => [name, 0]));
  const fileOf = (name: string): string => join(folder, name.replaceAll(' ', '-'));
  let passedMs = 0;
  let latest = 0;
  let wasSetBack = false;
  const now = (): number => Date.now() + passedMs;
  const show = (): void => {
    for (const [name, byMs] of away) stepTo(fileOf(name), passedMs + byMs);
  };
  const noteLatest = (): void => {
    latest = Math.max(latest, ...[...away.values()].map((byMs) => now() + byMs));
  };
  show();
  return {
    now,
    fileOf,
    stepAway(name, byMs) {
      noteLatest();
      wasSetBack ||= byMs < 0;
      away.set(name, byMs);
      show();
    },
    toHoursEnd(beforeMs) {
      passedMs += Math.max(0, HOUR_MS - (now() % HOUR_MS) - beforeMs);
      show();
    },
    catchUp() {
      noteLatest();
      passedMs += Math.max(0, latest - now()) + (wasSetBack ? HOUR_MS + SECOND_MS : 0);
      wasSetBack = false;
      show();
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS, MS_PER_SECOND } from '../../config/units.ts';
import { stepTo } from '../support/stepped-clock.ts';

/** The clocks of a service's processes. All show the same time, except those that were stepped. */
export interface OwnClocks {
  /** The correct time, in milliseconds since the epoch. */
  now(): number;
  /** The file that controls a process's clock. */
  fileOf(name: string): string;
  /** Sets the offset of a process's clock from the correct time, in milliseconds; 0 corrects it. */
  stepAway(name: string, byMs: number): void;
  /** Advances all clocks to `beforeMs` before the next hour, unless that time has passed. */
  toHoursEnd(beforeMs: number): void;
  /**
   * Advances all clocks to the latest time that any clock ever showed, and by one more hour if one was set back:
   * reconciliation searches for batches with ids of a clock that was late by minutes once an hour.
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
      passedMs += Math.max(0, latest - now()) + (wasSetBack ? HOUR_MS + MS_PER_SECOND : 0);
      wasSetBack = false;
      show();
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

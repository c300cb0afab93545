import type { NaiveWindow } from './naive-board.ts';

const HOURLY = 25;
const DAILY = 100 * 24;

/**
 * Boards at the start of hours, of which are kept: those of 25 hours, the newest that is at least 24 hours old, and the first
 * of each day for 100 days.
 */
export class NaiveHistory {
  #boards: { readonly hour: number; readonly windows: readonly NaiveWindow[] }[] = [];

  keep(hour: number, windows: readonly NaiveWindow[]): void {
    this.#boards.push({ hour, windows });
  }

  /** Ranks gained since the newest kept board at least `hours` old; null if unranked then, or without such a board. */
  movement(now: number, hours: number, window: number, operator: number, rank: number): number | null {
    const dayOld = Math.max(...this.#boards.map(({ hour }) => hour).filter((hour) => hour <= now - 24));
    const kept = this.#boards.filter(({ hour }) => {
      const firstOfDay = !this.#boards.some((other) => sameDay(other.hour, hour) && other.hour < hour);
      return hour > now - HOURLY || hour === dayOld || (firstOfDay && hour > now - DAILY);
    });
    const then = kept.findLast(({ hour }) => hour <= now - hours);
    const before = then?.windows[window]?.byOperator.get(operator);
    return before === undefined ? null : before.rank - rank;
  }
}

function sameDay(a: number, b: number): boolean {
  return Math.floor(a / 24) === Math.floor(b / 24);
}

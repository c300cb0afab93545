/** Hours for which every hourly board is kept; after that, the first of each day for DAILY_KEPT_HOURS. */
const HOURLY_KEPT_HOURS = 25;
const DAILY_KEPT_HOURS = 100 * 24;
const HOURS_A_DAY = 24;

/** The boards (ascending by hour) that retention keeps as of `hour`. */
export function keptHistory<T extends { readonly hour: number }>(history: readonly T[], hour: number): T[] {
  let lastDay = Number.NaN;
  return history.filter((kept) => {
    const day = Math.floor(kept.hour / HOURS_A_DAY);
    const firstOfDay = day !== lastDay;
    lastDay = day;
    return kept.hour > hour - HOURLY_KEPT_HOURS || (firstOfDay && kept.hour > hour - DAILY_KEPT_HOURS);
  });
}

/** The newest board kept as of `hour` that is at least `hoursAgo` hours old; null without one. */
export function boardAgo<T extends { readonly hour: number }>(
  history: readonly T[],
  hour: number,
  hoursAgo: number,
): T | null {
  return keptHistory(history, hour).findLast((kept) => kept.hour <= hour - hoursAgo) ?? null;
}

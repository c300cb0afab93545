/** Hours for which every hourly board is kept, and the newest older one, which an outage makes much older. */
export const HOURLY_KEPT_HOURS = 25;
/** Hours for which the first board of each day is kept. */
export const DAILY_KEPT_HOURS = 100 * 24;
const HOURS_A_DAY = 24;

/** The boards (ascending by hour) that retention keeps as of `hour`. */
export function keptHistory<T extends { readonly hour: number }>(history: readonly T[], hour: number): T[] {
  let lastDay = Number.NaN;
  const dayAgo = history.findLast((kept) => kept.hour <= hour - HOURS_A_DAY);
  return history.filter((kept) => {
    const day = Math.floor(kept.hour / HOURS_A_DAY);
    const firstOfDay = day !== lastDay;
    lastDay = day;
    return (
      kept === dayAgo || kept.hour > hour - HOURLY_KEPT_HOURS || (firstOfDay && kept.hour > hour - DAILY_KEPT_HOURS)
    );
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

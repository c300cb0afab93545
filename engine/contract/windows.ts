/** When a window starts: a number of full hours ago, or at the UTC midnight a number of days before today; null: never. */
export type WindowStart = { readonly hours: number } | { readonly days: number } | null;

/**
 * The windows of a board, in the order of every stored table, page and segment: name, start, label, and words in a
 * sentence. Everything that depends on windows derives from this table. Stored parts and totals of other windows are
 * refused, so a change needs the next version of the data: see CONTRIBUTING.md.
 */
export const WINDOW_SPECS = [
  { name: 'all_time', start: null, label: 'All time', sentence: 'over all time' },
  { name: '7d', start: { hours: 168 }, label: '7 days', sentence: 'over the last 7 days' },
  { name: '30d', start: { days: 30 }, label: '30 days', sentence: 'over the last 30 days' },
  { name: '90d', start: { days: 90 }, label: '90 days', sentence: 'over the last 90 days' },
] as const satisfies readonly { name: string; start: WindowStart; label: string; sentence: string }[];

export type WindowSpec = (typeof WINDOW_SPECS)[number];
export type Window = WindowSpec['name'];

export const WINDOWS: readonly Window[] = WINDOW_SPECS.map(({ name }) => name);

/** Creates a value for each window from its index in `WINDOWS`. */
export function byWindow<T>(of: (window: number) => T): Record<Window, T> {
  const values: Partial<Record<Window, T>> = {};
  for (const [index, name] of WINDOWS.entries()) values[name] = of(index);
  if (!hasEveryWindow(values)) throw new Error('a window has no value');
  return values;
}

function hasEveryWindow<T>(values: Partial<Record<Window, T>>): values is Record<Window, T> {
  return WINDOWS.every((name) => name in values);
}

const SPEC_OF = byWindow((window): WindowSpec => WINDOW_SPECS[window]!);

export const windowLabel = (window: Window): string => SPEC_OF[window].label;
export const windowSentence = (window: Window): string => SPEC_OF[window].sentence;

const HOURS_A_DAY = 24;

/** The length of a window in days; null without a start. */
export function windowDays(start: WindowStart): number | null {
  if (start === null) return null;
  return 'days' in start ? start.days : start.hours / HOURS_A_DAY;
}

/** The lengths in days of the windows that have a start: `7, 30 and 90`, or with `or`. */
export function windowDaysList(type: 'and' | 'or'): string {
  return listText(
    WINDOW_SPECS.flatMap(({ start }) => windowDays(start) ?? []),
    type,
  );
}

/** Two items or more as English text. By hand: `Intl.ListFormat` adds a quarter to the start of `upsilon --help`. */
export function listText(items: ReadonlyArray<string | number>, type: 'and' | 'or'): string {
  return `${items.slice(0, -1).join(', ')} ${type} ${items.at(-1)}`;
}

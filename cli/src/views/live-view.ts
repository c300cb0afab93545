import type { Paint } from '../output/screen.ts';
import { cutText } from '../output/text-width.ts';
import type { Bucket } from '../store/buckets.ts';
import type { PriceList } from './prices.ts';
import { dayText, localDay } from './time-zone.ts';
import { summarizeToday, todayLine } from './today.ts';
import { usageTable } from './usage-report.ts';
import { type Grouping, newestFirst, type RowQuery, usageRows, type View } from './usage-rows.ts';

/** What the live view shows. */
export interface LiveState {
  readonly view: View;
  readonly by: Grouping | null;
  /** Only the present day. */
  readonly isToday: boolean;
  /** Rows above the shown ones. */
  readonly offset: number;
  readonly isPaused: boolean;
}

export const FIRST_LIVE_STATE: LiveState = { view: 'session', by: null, isToday: true, offset: 0, isPaused: false };

/** Lines that are not rows: the summary, the table's titles and sum, the keys, and two empty ones. */
const OTHER_LINES = 7;

/** What the keys do, in full and for narrow terminals, where as many as fit are shown: the most needed first. */
const KEYS = [
  'q quit',
  'd w m s b day week month session block',
  't today/all',
  'p o j by platform model project',
  '↑ ↓ scroll',
  'space pause',
];
const SHORT_KEYS = ['q quit', 'dwmsb view', 't today/all', 'poj by', 'space pause', '↑↓'];

const VIEW_KEYS: Readonly<Record<string, View>> = { d: 'daily', w: 'weekly', m: 'monthly', s: 'session', b: 'blocks' };
const GROUPING_KEYS: Readonly<Record<string, Grouping>> = { p: 'platform', o: 'model', j: 'project' };

/** The state after a key, as a terminal sends it. */
export function afterKey(state: LiveState, key: string): LiveState {
  const view = VIEW_KEYS[key];
  if (view !== undefined) return { ...state, view, offset: 0 };
  const by = GROUPING_KEYS[key];
  // The same key again takes the grouping away.
  if (by !== undefined) return { ...state, by: state.by === by ? null : by, offset: 0 };
  switch (key) {
    case 't':
      return { ...state, isToday: !state.isToday, offset: 0 };
    case ' ':
      return { ...state, isPaused: !state.isPaused };
    case '\u001b[A':
    case 'k':
      return { ...state, offset: Math.max(0, state.offset - 1) };
    case '\u001b[B':
    case 'n':
      return { ...state, offset: state.offset + 1 };
    default:
      return state;
  }
}

/** The lines of the live view, newest rows first. `size` null: not a terminal, everything without keys. */
export function liveLines(
  buckets: readonly Bucket[],
  { view, by, isToday, offset, isPaused }: LiveState,
  context: {
    readonly query: Pick<RowQuery, 'zone' | 'platforms'>;
    readonly prices: PriceList;
    /** Seconds since the epoch. */
    readonly now: number;
    readonly size: { readonly columns: number; readonly rows: number } | null;
    readonly paint: Paint;
  },
): readonly string[] {
  const { query, prices, now, size, paint } = context;
  const today = dayText(localDay(now, query.zone));
  const chosen: RowQuery = { ...query, view, by, since: isToday ? today : null, until: null };
  const rows = newestFirst(usageRows(buckets, chosen), view);
  const room = size === null ? rows.length : Math.max(1, size.rows - OTHER_LINES);
  const start = Math.min(offset, Math.max(0, rows.length - room));
  const width = size?.columns ?? null;
  const table = usageTable(rows, chosen, prices, width, paint).split('\n');
  const shown = [table[0]!, ...table.slice(1, -1).slice(start, start + room), table.at(-1)!];
  const clip = (text: string): string => (width === null ? text : cutText(text, width));
  const summary = clip(todayLine(summarizeToday(buckets, query, prices, now), now));
  const place =
    rows.length > room ? ` · rows ${start + 1} to ${start + Math.min(room, rows.length)} of ${rows.length}` : '';
  const state = `${isToday ? `since ${today}` : 'all'}${place}${isPaused ? ' · paused' : ''}`;
  const head = [paint.bold(summary), ''];
  return size === null
    ? [...head, ...shown]
    : [...head, ...shown, '', paint.dim(clip(state)), paint.dim(keysText(width))];
}

function keysText(width: number | null): string {
  const full = KEYS.join(' · ');
  if (full.length <= (width ?? 0)) return full;
  const fitting = SHORT_KEYS.filter((_, index) => SHORT_KEYS.slice(0, index + 1).join(' · ').length <= (width ?? 0));
  return fitting.join(' · ');
}

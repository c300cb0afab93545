import { compactCount, type Paint } from '../output/screen.ts';
import { cutText } from '../output/text-width.ts';
import type { Bucket } from '../store/buckets.ts';
import type { PriceList } from './prices.ts';
import { barOf } from './submitted-history.ts';
import { dayText, localDay, startOfDay } from './time-zone.ts';
import { summarizeToday, todayLine } from './today.ts';
import { blockLines, usageTable } from './usage-report.ts';
import {
  BLOCK_SECONDS,
  type Grouping,
  newestFirst,
  type RowQuery,
  totalOf,
  usageRows,
  type View,
} from './usage-rows.ts';

/** What the live view shows. */
export interface LiveState {
  readonly view: View;
  readonly by: Grouping | null;
  /** Only the present day. */
  readonly isToday: boolean;
  /** Rows above the shown ones. */
  readonly offset: number;
  readonly isPaused: boolean;
  /** In place of the table: what the keys do. */
  readonly isHelp: boolean;
}

const SHOWN = { isToday: true, offset: 0, isPaused: false, isHelp: false };
export const FIRST_LIVE_STATE: LiveState = { view: 'session', by: null, ...SHOWN };

type LiveQuery = Pick<RowQuery, 'zone' | 'platforms'>;

/** Shorter terminals show neither rank, rate nor line of the day. */
const MIN_DASHBOARD_ROWS = 16;

const KEYS = 'q quit · t today/all · space pause · ↑↓ scroll · ? all keys';
const ALL_KEYS = `q          quit
t          today or all
d w m s b  by day, week, month, session, block
p o j      a row for each platform, model, project
↑ ↓        scroll
space      pause
?          back to the table`;

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
    case '?':
      return { ...state, isHelp: !state.isHelp };
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
  { view, by, isToday, offset, isPaused, isHelp }: LiveState,
  context: {
    readonly query: LiveQuery;
    readonly prices: PriceList;
    /** Seconds since the epoch. */
    readonly now: number;
    readonly size: { readonly columns: number; readonly rows: number } | null;
    readonly paint: Paint;
    /** The operator's; null where it is not known. */
    readonly place: string | null;
  },
): readonly string[] {
  const { query, prices, now, size, paint, place } = context;
  const today = dayText(localDay(now, query.zone));
  const chosen: RowQuery = { ...query, view, by, since: isToday ? today : null, until: null };
  const rows = newestFirst(usageRows(buckets, chosen), view);
  const width = size?.columns ?? null;
  const clip = (text: string): string => (width === null ? text : cutText(text, width));
  const blocks: RowQuery = {
    ...chosen,
    view: 'blocks',
    by: null,
    since: dayText(localDay(now - BLOCK_SECONDS, query.zone)),
  };
  const dashboard = [
    ...(place === null ? [] : [clip(place)]),
    ...blockLines(usageRows(buckets, blocks), prices, now).map(clip),
    ...dayChart(buckets, query, now).map((text) => paint.good(clip(text))),
  ];
  const summary = paint.bold(clip(todayLine(summarizeToday(buckets, query, prices, now), now)));
  const head = [summary, ...(size !== null && size.rows < MIN_DASHBOARD_ROWS ? [] : dashboard), ''];
  // Below: the titles, the sum, and three lines of state and keys.
  const room = size === null ? rows.length : Math.max(1, size.rows - head.length - 5);
  const start = Math.min(offset, Math.max(0, rows.length - room));
  const [titles = '', ...table] = usageTable(rows, chosen, prices, width, paint).split('\n');
  const shown = isHelp
    ? ALL_KEYS.split('\n').slice(0, room + 2)
    : [titles, ...table.slice(0, -1).slice(start, start + room), table.at(-1)!];
  const where =
    rows.length > room ? ` · rows ${start + 1} to ${start + Math.min(room, rows.length)} of ${rows.length}` : '';
  const state = `${isToday ? `since ${today}` : 'all'}${where}${isPaused ? ' · paused' : ''}`;
  return [...head, ...shown, ...(size === null ? [] : ['', paint.dim(clip(state)), paint.dim(clip(KEYS))])];
}

/** The tokens of each hour of the day as a line of blocks; none without any. `now` in seconds. */
function dayChart(buckets: readonly Bucket[], { zone, platforms }: LiveQuery, now: number): readonly string[] {
  const midnight = startOfDay(localDay(now, zone), zone);
  const hours = Array.from({ length: Math.floor((now - midnight) / 3600) + 1 }, () => 0);
  for (const bucket of buckets) {
    const hour = Math.floor((bucket.time - midnight) / 3600);
    const isSelected = platforms.length === 0 || platforms.includes(bucket.file.platform);
    if (isSelected && hours[hour] !== undefined) hours[hour] += totalOf(bucket);
  }
  const most = Math.max(...hours);
  if (most === 0) return [];
  const bars = hours.map((tokens) => (tokens === 0 ? '·' : barOf(tokens / most))).join('');
  return [`${bars} tokens by hour since midnight, at most ${compactCount(most)}`];
}

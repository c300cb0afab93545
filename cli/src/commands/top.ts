import { once } from 'node:events';
import { emitKeypressEvents } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { findOwnCodename } from '../auth/identity.ts';
import type { Command } from '../command-context.ts';
import { fetchOwnStanding } from '../net/own-standing.ts';
import { nextText, standingText } from '../output/place-text.ts';
import type { Bucket } from '../store/buckets.ts';
import { afterKey, FIRST_LIVE_STATE, type LiveState, liveLines } from '../views/live-view.ts';
import { openPrices } from '../views/prices.ts';
import { scanUsage } from './scan-usage.ts';
import { readQuery, readSeconds, type ViewOptions } from './usage-view.ts';

const DEFAULT_INTERVAL_SECONDS = 5;

const CTRL_C = '\u0003';

/** Another screen, without a cursor; and back. */
const ENTER_SCREEN = '\u001b[?1049h\u001b[?25l';
const LEAVE_SCREEN = '\u001b[?25h\u001b[?1049l';
const TO_TOP_LEFT = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_BELOW = '\u001b[J';

/** How often the rank is read, in milliseconds. */
const PLACE_MS = 60_000;

/** Shows the usage of the day as it grows, and the rank, until `q`. Without a terminal: the usage, once. Sends nothing. */
export const topCommand: Command<ViewOptions & { readonly interval?: string }> = async (context) => {
  const { screen, settings, options } = context;
  const query = readQuery('session', context);
  const interval = readSeconds('--interval', options.interval, DEFAULT_INTERVAL_SECONDS, 1);
  const prices = await openPrices(settings.configDir);
  /** Warnings, each once. They are shown in the end: the screen is another one. */
  const warnings = new Set<string>();
  let buckets: readonly Bucket[] = [];
  const { stdin, stdout } = process;
  const isLive = !screen.json && stdin.isTTY && stdout.isTTY;
  let place: string | null = null;
  let placedAt = 0;
  const readPlace = async (): Promise<void> => {
    if (!isLive || Date.now() - placedAt < PLACE_MS) return;
    placedAt = Date.now();
    const codename = await findOwnCodename(settings, context.env);
    const own = codename === null ? null : await fetchOwnStanding(settings.baseUrl, codename, null);
    if (own === null) return;
    const next = own.standing === null || typeof own.standing === 'string' ? '' : ` ${nextText(own.standing)}`;
    place = `${codename}: ${standingText({ ...own, total_operators: own.total || null })}.${next}`;
  };
  const refresh = async (): Promise<void> => {
    // The last rank stays where it cannot be read.
    const [scanned] = await Promise.all([scanUsage(context, 'where writable'), readPlace().catch(() => undefined)]);
    for (const warning of scanned.warnings) warnings.add(warning);
    ({ buckets } = scanned);
  };
  const warn = (): void => {
    for (const warning of warnings) screen.warning(warning);
  };
  await refresh();
  const linesOf = (state: LiveState, size: { columns: number; rows: number } | null): readonly string[] =>
    liveLines(buckets, state, { query, prices, now: Date.now() / 1000, size, paint: screen.paint, place });
  if (!isLive) {
    const lines = linesOf(FIRST_LIVE_STATE, null);
    screen.print(lines.join('\n'));
    screen.result({ lines });
    warn();
    return 'ok';
  }
  let state: LiveState = FIRST_LIVE_STATE;
  const draw = (): void => {
    const { columns, rows } = stdout;
    const lines = linesOf(state, { columns, rows }).slice(0, rows);
    stdout.write(`${TO_TOP_LEFT}${lines.map((line) => line + CLEAR_LINE).join('\r\n')}${CLEAR_BELOW}`);
  };
  const stop = new AbortController();
  const onKey = (key: string): void => {
    if (key === 'q' || key === CTRL_C) return stop.abort();
    state = afterKey(state, key);
    draw();
  };
  const leave = openKeys(onKey, draw);
  const ended = once(stop.signal, 'abort');
  try {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stop.abort());
    while (!stop.signal.aborted) {
      draw();
      await Promise.race([ended, sleep(interval * 1000, undefined, { ref: false })]);
      if (!state.isPaused && !stop.signal.aborted) await refresh();
    }
  } finally {
    leave();
    warn();
  }
  return 'ok';
};

/** Enters the other screen and reads keys. Returns what restores the terminal. */
function openKeys(onKey: (key: string) => void, onResize: () => void): () => void {
  const { stdin, stdout } = process;
  // Keys that are typed fast arrive together, and slow connections cut their sequences.
  emitKeypressEvents(stdin);
  const onPress = (_: string | undefined, { sequence = '' }: { readonly sequence?: string }): void => onKey(sequence);
  stdin.setRawMode(true);
  stdin.on('keypress', onPress);
  stdout.on('resize', onResize);
  stdout.write(ENTER_SCREEN);
  return () => {
    stdout.off('resize', onResize);
    stdin.off('keypress', onPress);
    stdin.setRawMode(false);
    stdin.pause();
    stdout.write(LEAVE_SCREEN);
  };
}

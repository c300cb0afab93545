import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS } from '../../../config/units.ts';
import { CliError, type ExitName } from '../cli-error.ts';
import type { Command } from '../command-context.ts';
import type { Screen } from '../output/screen.ts';
import { submitCommand } from './submit.ts';

const DEFAULT_MINUTES = 15;
const MIN_MINUTES = 1;
const MAX_MINUTES = 24 * 60;

/** How often the clock is checked, so that a machine that slept past a submission submits soon after it wakes. */
const TICK_MS = 15_000;

/** The code of a failure because another run held the lock: the next round retries. */
const LOCKED = 'locked';

/** Failures that the next round retries. Others end the watch, because they need the user. */
const TRANSIENT: ReadonlySet<ExitName> = new Set(['network', 'pending', 'nothing', 'refused']);

/** The clock and the work of a round, injected so that tests neither wait nor submit. */
export interface WatchContext {
  /** Milliseconds since the epoch, by the wall clock. */
  readonly now: () => number;
  /** Returns early when the watch is stopped. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly submit: () => Promise<ExitName>;
}

/** Submits now, and then every `--interval` minutes. Nothing is queued: the next totals include everything before. */
export const watchCommand: Command<{ readonly interval?: string }> = async (context) => {
  const { screen, options } = context;
  const minutes = readInterval(options.interval);
  const { signal } = stopOnSignals();
  screen.note(`Submitting every ${minutes === 1 ? 'minute' : `${minutes} minutes`}. Stop with Ctrl+C.`);
  return await watchRounds(minutes, signal, screen, {
    now: Date.now,
    sleep: (milliseconds) => sleep(milliseconds, undefined, { signal }).catch(() => undefined),
    submit: () => submitCommand(context),
  });
};

/** Runs rounds until the watch is stopped or a failure needs the user. Returns the exit of the last round. */
export async function watchRounds(
  minutes: number,
  signal: AbortSignal,
  screen: Screen,
  context: WatchContext,
): Promise<ExitName> {
  let last: ExitName = 'ok';
  while (!signal.aborted) {
    const startedAt = context.now();
    screen.note(`\n${new Date(startedAt).toISOString()}`);
    last = await submitOnce(screen, context);
    // The submission has reported it and offered a plan.
    if (last === 'plan') break;
    await waitForRound(startedAt, minutes * MINUTE_MS, signal, context);
  }
  return last;
}

async function submitOnce(screen: Screen, { submit }: WatchContext): Promise<ExitName> {
  try {
    return await submit();
  } catch (error) {
    if (!(error instanceof CliError) || !(TRANSIENT.has(error.exit) || error.code === LOCKED)) throw error;
    screen.failure(error.message, 'The next round will try again.');
    return error.exit;
  }
}

/** Waits by the wall clock, which continues while the machine sleeps. Setting the clock back does not prolong the wait. */
async function waitForRound(
  startedAt: number,
  interval: number,
  signal: AbortSignal,
  { now, sleep: pause }: WatchContext,
): Promise<void> {
  let seen = startedAt;
  for (let left = interval; left > 0 && !signal.aborted; ) {
    await pause(Math.min(TICK_MS, left));
    const at = now();
    // Set back: count the pause itself.
    left -= at >= seen ? at - seen : Math.min(TICK_MS, left);
    seen = at;
  }
}

/** The first signal ends the watch after its round; a second one has its default effect. */
function stopOnSignals(): AbortController {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  return stop;
}

function readInterval(text: string | undefined): number {
  const minutes = Number(text ?? DEFAULT_MINUTES);
  if (Number.isFinite(minutes) && minutes >= MIN_MINUTES && minutes <= MAX_MINUTES) return minutes;
  const message = `--interval takes ${MIN_MINUTES} to ${MAX_MINUTES} minutes`;
  const hint = `Without it, the tool submits every ${DEFAULT_MINUTES} minutes.`;
  throw new CliError('usage', 'settings_invalid', message, hint);
}

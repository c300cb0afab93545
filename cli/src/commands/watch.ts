import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '../cli-error.ts';
import type { Environment } from '../environment.ts';
import type { ExitName } from '../exit-codes.ts';
import type { Screen } from '../output/screen.ts';
import type { Settings } from '../settings.ts';
import { submitCommand } from './submit.ts';

const MINUTE_MS = 60_000;
const DEFAULT_MINUTES = 15;
const MIN_MINUTES = 1;
const MAX_MINUTES = 24 * 60;

/** The clock is looked at this often: a machine that slept past a submission makes up for it when it wakes. */
const TICK_MS = 15_000;

/** Another run was at work for long: it will be done at the next round. */
const LOCKED = 'locked';

/** Failures that pass by themselves: the next round tries again. Others end the watch, as they need the user. */
const PASSING: ReadonlySet<ExitName> = new Set(['network', 'pending', 'nothing', 'refused']);

/** What `watch` was asked for. */
export interface WatchFlags {
  readonly interval?: string | undefined;
}

/** Time and the work of a round, so that tests need neither to wait nor to submit. */
export interface WatchContext {
  /** Milliseconds since the epoch, by the clock on the wall. */
  readonly now: () => number;
  /** Ends early when the watch is stopped. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly submit: () => Promise<ExitName>;
}

/**
 * Submits now and then every `--interval` minutes until it is stopped. Survives sleep and being offline; nothing is queued
 * meanwhile, as the next totals hold all that came before.
 */
export async function watchCommand(
  settings: Settings,
  env: Environment,
  screen: Screen,
  flags: WatchFlags,
): Promise<ExitName> {
  const minutes = readInterval(flags.interval);
  const { signal } = stopOnSignals();
  screen.note(`Submitting every ${minutes} minute${minutes === 1 ? '' : 's'}. Stop with Ctrl+C.`);
  const context = {
    now: Date.now,
    sleep: (milliseconds: number) => sleep(milliseconds, undefined, { signal }).catch(() => undefined),
    submit: () => submitCommand(settings, env, screen),
  };
  return watchRounds(minutes, signal, screen, context);
}

/** The rounds of a watch, until it is stopped or a failure needs the user. Answers how the last round ended. */
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
    // The user was told and asked.
    if (last === 'plan') break;
    await waitForRound(startedAt, minutes * MINUTE_MS, signal, context);
  }
  return last;
}

async function submitOnce(screen: Screen, { submit }: WatchContext): Promise<ExitName> {
  try {
    return await submit();
  } catch (error) {
    if (!(error instanceof CliError) || !passes(error)) throw error;
    screen.failure(error.message, 'Trying again at the next round.');
    return error.exit;
  }
}

function passes({ exit, code }: CliError): boolean {
  return PASSING.has(exit) || code === LOCKED;
}

/** Waits by the clock on the wall, which goes on while the machine sleeps. A clock that was set back makes no wait longer. */
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
    // Set back: at least the pause went by.
    left -= at >= seen ? at - seen : Math.min(TICK_MS, left);
    seen = at;
  }
}

/** The first signal ends the watch after its round; a second one ends it at once, as signals do. */
function stopOnSignals(): AbortController {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  return stop;
}

function readInterval(text: string | undefined): number {
  const minutes = Number(text ?? DEFAULT_MINUTES);
  if (Number.isFinite(minutes) && minutes >= MIN_MINUTES && minutes <= MAX_MINUTES) return minutes;
  const message = `--interval takes ${MIN_MINUTES} to ${MAX_MINUTES} minutes`;
  throw new CliError('usage', 'settings_invalid', message, `Leave it out for every ${DEFAULT_MINUTES} minutes.`);
}

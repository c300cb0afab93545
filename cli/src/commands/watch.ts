import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '../cli-error.ts';
import type { Environment } from '../environment.ts';
import type { ExitName } from '../exit-codes.ts';
import type { Screen } from '../output/screen.ts';
import type { Settings } from '../settings.ts';
import { submitCommand } from './submit.ts';

const MINUTE_MS = 60_000;
const DEFAULT_MINUTES = 15;
const LEAST_MINUTES = 1;
const MOST_MINUTES = 24 * 60;

/** The clock is looked at this often: a machine that slept past a submission makes up for it when it wakes. */
const TICK_MS = 15_000;

/** Failures that pass by themselves: the next round tries again. Others end the watch, as they need the user. */
const PASSING: ReadonlySet<ExitName> = new Set(['network', 'pending', 'nothing', 'refused']);

/** What `watch` was asked for. */
export interface WatchFlags {
  readonly interval?: string | undefined;
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
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  screen.note(`Submitting every ${minutes} minutes. Stop with Ctrl+C.`);
  let last: ExitName = 'ok';
  while (!stop.signal.aborted) {
    const startedAt = Date.now();
    screen.note(`\n${new Date(startedAt).toISOString()}`);
    last = await submitOnce(settings, env, screen);
    await until(startedAt + minutes * MINUTE_MS, stop.signal);
  }
  return last;
}

async function submitOnce(settings: Settings, env: Environment, screen: Screen): Promise<ExitName> {
  try {
    return await submitCommand(settings, env, screen);
  } catch (error) {
    if (!(error instanceof CliError) || !PASSING.has(error.exit)) throw error;
    screen.failure(error.message, 'Trying again at the next round.');
    return error.exit;
  }
}

/** Waits by the clock on the wall, which goes on while the machine sleeps. */
async function until(moment: number, signal: AbortSignal): Promise<void> {
  while (Date.now() < moment && !signal.aborted) {
    await sleep(Math.min(TICK_MS, moment - Date.now()), undefined, { signal }).catch(() => undefined);
  }
}

function readInterval(text: string | undefined): number {
  const minutes = Number(text ?? DEFAULT_MINUTES);
  if (Number.isFinite(minutes) && minutes >= LEAST_MINUTES && minutes <= MOST_MINUTES) return minutes;
  throw new CliError('usage', 'settings_invalid', `--interval takes ${LEAST_MINUTES} to ${MOST_MINUTES} minutes`);
}

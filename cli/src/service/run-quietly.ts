import { DAY_MS, MINUTE_MS } from '../../../config/units.ts';
import { CliError, type ExitName } from '../cli-error.ts';
import type { Settings } from '../settings.ts';
import { afterFailure, afterSuccess, readRunRecord, writeRunRecord } from './run-record.ts';

/** How long a success makes further runs unnecessary, in milliseconds: hooks start one at the end of every session. */
const FRESH_MS = 10 * MINUTE_MS;

/** How long runs may fail by themselves, as while the machine is offline, before they report it, in milliseconds. */
const SILENT_MS = DAY_MS;

/** Failures that pass without the user. */
const TRANSIENT: ReadonlySet<ExitName> = new Set(['network', 'pending']);

/** Runs unless a success is fresh or a failure has to wait, and records the outcome. `show` prints what the run had to say. */
export async function runQuietly(
  { configDir, baseUrl }: Pick<Settings, 'configDir' | 'baseUrl'>,
  show: () => void,
  now: () => number,
  submit: () => Promise<ExitName>,
): Promise<ExitName> {
  const record = await readRunRecord(configDir, baseUrl);
  const passed = now() - record.succeeded_at;
  if (now() < record.next_at || (passed >= 0 && passed < FRESH_MS)) return 'ok';
  const fail = async (problem: string, isTransient: boolean): Promise<boolean> => {
    const failed = afterFailure(record, problem, now());
    await writeRunRecord(configDir, failed);
    return isTransient && now() - failed.failing_since < SILENT_MS;
  };
  try {
    const exit = await submit();
    if (exit === 'ok' || exit === 'nothing') {
      await writeRunRecord(configDir, afterSuccess(record, now()));
      return 'ok';
    }
    if (await fail(`the run ended with ${exit}`, TRANSIENT.has(exit))) return 'ok';
    show();
    return exit;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (await fail(error.message, TRANSIENT.has(error.exit) || error.code === 'locked')) return 'ok';
    throw error;
  }
}

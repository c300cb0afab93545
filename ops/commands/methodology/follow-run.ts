import { setTimeout as pause } from 'node:timers/promises';
import type { RunStatus } from '../../../engine/ranking/index.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import type { Service } from '../service.ts';

const POLL_INTERVAL_MS = 500;
/** Polls without progress after which a hint is printed. */
const STALLED_POLLS = 60;

/**
 * Waits for the end of a run, printing its progress, and returns its final status. The run continues when the command is
 * interrupted.
 *
 * @throws CommandError when it was cancelled or has failed.
 */
export async function followRun({ ranking }: Service, { printError }: CommandContext, run: string): Promise<RunStatus> {
  let printed = '';
  for (let quiet = 0; ; quiet++) {
    const { underWay, ended } = await ranking.rerank.status();
    const status = [underWay, ...ended].find((one) => one?.run === run);
    if (status === undefined || status === null)
      throw new CommandError(`run ${run} no longer exists`, 'See: methodology status.');
    if (status.state !== 'running') return endOf(status);
    const progress = `${status.scored} of ${status.ranges} operator ranges scored.\n`;
    if (progress !== printed) {
      printError(progress);
      printed = progress;
      quiet = 0;
    }
    if (quiet === STALLED_POLLS) printError('No progress: check that workers are running. The run waits for them.\n');
    await pause(POLL_INTERVAL_MS);
  }
}

function endOf(status: RunStatus): RunStatus {
  if (status.state === 'switched' || status.state === 'previewed') return status;
  const reason = status.error === null ? '' : `: ${status.error}`;
  throw new CommandError(`run ${status.run} was ${status.state}${reason}`, 'The boards are unchanged.');
}

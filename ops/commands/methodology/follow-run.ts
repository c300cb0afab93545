import { setTimeout as pause } from 'node:timers/promises';
import type { RunStatus } from '../../../engine/ranking/index.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import type { Service } from '../service.ts';

const LOOK_EVERY_MS = 500;
/** Looks without any progress after which people are told what may be wrong. */
const BLOCKING_LOOKS = 60;

/**
 * Waits for the end of a run and tells people on the way how far it has come. The run does not need this: it goes on when the
 * command is interrupted. Answers the run once it has ended well.
 *
 * @throws CommandError when it was cancelled or has failed.
 */
export async function followRun(
  { ranking }: Service,
  { logThrottled }: CommandContext,
  run: string,
): Promise<RunStatus> {
  let told = '';
  for (let quiet = 0; ; quiet++) {
    const { underWay, ended } = await ranking.rerank.status();
    const status = [underWay, ...ended].find((one) => one?.run === run);
    if (status === undefined || status === null)
      throw new CommandError(`run ${run} is gone`, 'See: methodology status.');
    if (status.state !== 'running') return endOf(status);
    const progress = `${status.scored} of ${status.ranges} ranges of operators are scored.\n`;
    if (progress !== told) {
      logThrottled(progress);
      told = progress;
      quiet = 0;
    }
    if (quiet === BLOCKING_LOOKS) logThrottled('Nothing moves: see that workers run. The run waits for them.\n');
    await pause(LOOK_EVERY_MS);
  }
}

function endOf(status: RunStatus): RunStatus {
  if (status.state === 'switched' || status.state === 'previewed') return status;
  const reason = status.error === null ? '' : `: ${status.error}`;
  throw new CommandError(`run ${status.run} was ${status.state}${reason}`, 'The boards are as they were.');
}

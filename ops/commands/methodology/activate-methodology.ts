import { type CommandContext, printJson } from '../command-context.ts';
import { requireConfirmation } from '../require-confirmation.ts';
import { withService } from '../service.ts';
import { followRun } from './follow-run.ts';
import { requireMethodology } from './require-methodology.ts';
import { startRun } from './start-run.ts';

interface ActivateRequest {
  readonly number: number;
  readonly wait: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Makes all boards by another methodology: workers score everybody, and one write switches. */
export async function activateMethodology(context: CommandContext, request: ActivateRequest): Promise<void> {
  const { number, wait, yes, json } = request;
  requireMethodology(number);
  await withService(context, async (service) => {
    const { methodology } = await service.ranking.rerank.status();
    if (methodology !== number) {
      requireConfirmation(yes, `this makes all public boards by methodology ${number} instead of ${methodology}`);
    }
    const run = await startRun(service, { kind: 'activate', methodology: number });
    if (wait) await followRun(service, context, run);
    if (json === true) printJson(context, { run, state: wait ? 'switched' : 'running', methodology: number });
    else if (wait)
      context.print(`The boards are made by methodology ${number} now. To return: methodology rollback.\n`);
    else context.print(`Run ${run} has begun. See how it goes: methodology status.\n`);
  });
}

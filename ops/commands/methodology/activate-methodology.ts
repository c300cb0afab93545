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

/** Switches all boards to another methodology: workers score every operator, then one write switches. */
export async function activateMethodology(context: CommandContext, request: ActivateRequest): Promise<void> {
  const { number, wait, yes, json } = request;
  requireMethodology(number);
  await withService(context, async (service) => {
    const { methodology } = await service.ranking.rerank.status();
    if (methodology !== number) {
      requireConfirmation(yes, `this switches all public boards from methodology ${methodology} to ${number}`);
    }
    const run = await startRun(service, { kind: 'activate', methodology: number });
    if (wait) await followRun(service, context, run);
    if (json === true) printJson(context, { run, state: wait ? 'switched' : 'running', methodology: number });
    else if (wait) context.print(`The boards now use methodology ${number}. To return: methodology rollback.\n`);
    else context.print(`Run ${run} has started. Follow it: methodology status.\n`);
  });
}

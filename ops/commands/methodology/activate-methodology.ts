import { requireConfirmation } from '../require-confirmation.ts';
import { withService } from '../service.ts';
import { printJson, type Surroundings } from '../surroundings.ts';
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
export async function activateMethodology(surroundings: Surroundings, request: ActivateRequest): Promise<void> {
  const { number, wait, yes, json } = request;
  requireMethodology(number);
  await withService(surroundings, async (service) => {
    const { methodology } = await service.ranking.rerank.status();
    if (methodology !== number) {
      requireConfirmation(yes, `this makes all public boards by methodology ${number} instead of ${methodology}`);
    }
    const run = await startRun(service, { kind: 'activate', methodology: number });
    if (wait) await followRun(service, surroundings, run);
    if (json === true) printJson(surroundings, { run, state: wait ? 'switched' : 'running', methodology: number });
    else if (wait)
      surroundings.print(`The boards are made by methodology ${number} now. To return: methodology rollback.\n`);
    else surroundings.print(`Run ${run} has begun. See how it goes: methodology status.\n`);
  });
}

import { CommandError } from '../command-error.ts';
import { withService } from '../service.ts';
import { printJson, type Surroundings } from '../surroundings.ts';

/** Stops the run under way. */
export async function cancelRun(surroundings: Surroundings, { json }: { readonly json?: boolean }): Promise<void> {
  await withService(surroundings, async ({ ranking }) => {
    const run = await ranking.rerank.cancel();
    if (run === null) throw new CommandError('no run is under way', 'There is nothing to cancel.');
    if (json === true) printJson(surroundings, { run, state: 'cancelled' });
    else surroundings.print(`Run ${run} was cancelled. The boards are as they were.\n`);
  });
}

import { type CommandContext, printJson } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { withService } from '../service.ts';

/** Cancels the current run. */
export async function cancelRun(context: CommandContext, { json }: { readonly json?: boolean }): Promise<void> {
  await withService(context, async ({ ranking }) => {
    const run = await ranking.rerank.cancel();
    if (run === null) throw new CommandError('no run is in progress', 'There is nothing to cancel.');
    if (json === true) printJson(context, { run, state: 'cancelled' });
    else context.print(`Run ${run} was cancelled. The boards are unchanged.\n`);
  });
}

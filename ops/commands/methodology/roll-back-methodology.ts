import { type CommandContext, printJson } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { requireConfirmation } from '../require-confirmation.ts';
import { withService } from '../service.ts';

/** Returns to the methodology before the last change. */
export async function rollBackMethodology(
  context: CommandContext,
  { yes, json }: { readonly yes?: boolean; readonly json?: boolean },
): Promise<void> {
  await withService(context, async ({ ranking }) => {
    const { methodology, rollback } = await ranking.rerank.status();
    if (rollback !== null) {
      const change = `this switches all public boards from methodology ${methodology} to ${rollback.methodology}`;
      requireConfirmation(yes, change);
    }
    const result = await ranking.rerank.rollBack();
    if (result.kind === 'nothing') {
      const next = 'Activate a methodology: methodology activate NUMBER.';
      throw new CommandError('there is nothing to roll back to', next);
    }
    if (result.kind === 'busy') {
      throw new CommandError(`run ${result.run} is in progress`, 'Stop it first: methodology cancel.');
    }
    const { version, from, to } = result;
    if (json === true) printJson(context, { version, from, to });
    else context.print(`The boards use methodology ${to} again, from version ${version} on.\n`);
  });
}

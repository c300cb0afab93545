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
      const change = `this makes all public boards by methodology ${rollback.methodology} instead of ${methodology}`;
      requireConfirmation(yes, change);
    }
    const answer = await ranking.rerank.rollBack();
    if (answer.kind === 'nothing') {
      const next = 'Activate the methodology that you want: methodology activate NUMBER.';
      throw new CommandError('there is nothing to roll back to', next);
    }
    if (answer.kind === 'busy') {
      throw new CommandError(`run ${answer.run} is under way`, 'Stop it first: methodology cancel.');
    }
    const { version, from, to } = answer;
    if (json === true) printJson(context, { version, from, to });
    else context.print(`The boards are made by methodology ${to} again, from version ${version} on.\n`);
  });
}

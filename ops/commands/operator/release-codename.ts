import { type CommandContext, printJson } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { requireConfirmation } from '../require-confirmation.ts';
import { withService } from '../service.ts';

interface ReleaseRequest {
  readonly codename: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Makes a codename available that its former owner gave up less than 90 days ago. */
export async function releaseCodename(context: CommandContext, { codename, yes, json }: ReleaseRequest): Promise<void> {
  await withService(context, async ({ ranking }) => {
    if ((await ranking.operators.find(codename)) !== null) {
      throw new CommandError(`${codename} is an operator's codename`, 'Only one that was given up can be released.');
    }
    requireConfirmation(yes, `this makes ${codename}, which is reserved for its former owner, available to all`);
    const released = await ranking.operators.freeCodename(codename);
    if (json === true) printJson(context, { codename, released });
    else context.print(released ? `${codename} is available.\n` : `${codename} was not reserved.\n`);
  });
}

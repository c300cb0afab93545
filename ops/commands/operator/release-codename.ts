import { type CommandContext, printJson } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { requireConfirmation } from '../require-confirmation.ts';
import { withService } from '../service.ts';

interface ReleaseRequest {
  readonly codename: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Lets anybody have a codename that its former owner gave up less than 90 days ago. */
export async function releaseCodename(context: CommandContext, { codename, yes, json }: ReleaseRequest): Promise<void> {
  await withService(context, async ({ ranking }) => {
    if ((await ranking.operators.find(codename)) !== null) {
      throw new CommandError(`${codename} is an operator's codename`, 'Only one that was given up can be released.');
    }
    requireConfirmation(yes, `this lets anybody take ${codename}, which is kept for its former owner`);
    const released = await ranking.operators.freeCodename(codename);
    if (json === true) printJson(context, { codename, released });
    else context.print(released ? `Anybody may take ${codename}.\n` : `${codename} was not kept for anybody.\n`);
  });
}

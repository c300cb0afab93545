import type { CommandContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { withService } from '../service.ts';
import { requireOperator } from './require-operator.ts';

/**
 * Suspends an operator and takes it off every board, or lets it in again and puts it back where it was. The account comes
 * first: `maintain-accounts` brings the boards in line when this is cut short.
 */
export async function setSuspended(
  context: CommandContext,
  { codename, suspended }: { readonly codename: string; readonly suspended: boolean },
): Promise<void> {
  await withService(context, async (service) => {
    const { operator } = await requireOperator(service, codename);
    if (!(await service.accounts.suspend(operator.operator, suspended))) {
      throw new CommandError(
        `the operator ${operator.codename} has no account`,
        `Complete it: npm run -s ops -- operator create ${operator.codename}`,
      );
    }
    await service.ranking.operators.amend(operator.operator, { suspended });
    const present = await service.ranking.operators.byNumber(operator.operator);
    context.print(report(operator.codename, suspended, present?.listed === true));
  });
}

function report(codename: string, suspended: boolean, listed: boolean): string {
  if (suspended) {
    return `Suspended ${codename}: its tokens and sessions end within 5 s, and it is off every board from the next commit on.\n`;
  }
  const boards = listed
    ? 'and is back on the boards from the next commit on'
    : 'and stays off the boards, because it is not listed';
  return `Restored ${codename}: it can sign in again, ${boards}.\n`;
}

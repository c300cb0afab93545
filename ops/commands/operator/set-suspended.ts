import type { CommandContext } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { withService } from '../service.ts';
import { requireOperator } from './require-operator.ts';

/**
 * Suspends an operator and removes it from every board, or restores it. The account is written first: `maintain-accounts`
 * updates the boards when this is interrupted.
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
    return `Suspended ${codename}: its tokens and sessions end within 5 s, and the next commit removes it from every board.\n`;
  }
  const boards = listed
    ? 'and is back on the boards from the next commit on'
    : 'and stays off the boards, because it is not listed';
  return `Restored ${codename}: it can sign in again, ${boards}.\n`;
}

import { CommandError } from '../command-error.ts';
import { withService } from '../service.ts';
import type { Surroundings } from '../surroundings.ts';
import { requireOperator } from './require-operator.ts';

/** Suspends an operator, or lets it in again. Its places on the boards stay as they are. */
export async function setSuspended(
  surroundings: Surroundings,
  { codename, suspended }: { readonly codename: string; readonly suspended: boolean },
): Promise<void> {
  await withService(surroundings, async (service) => {
    const { operator } = await requireOperator(service, codename);
    if (!(await service.accounts.suspend(operator.operator, suspended))) {
      throw new CommandError(
        `the operator ${operator.codename} has no account`,
        `Complete it: npm run -s ops -- operator create ${operator.codename}`,
      );
    }
    surroundings.print(
      suspended
        ? `Suspended ${operator.codename}: its tokens and sessions end within 5 s.\n`
        : `Restored ${operator.codename}: it can sign in again.\n`,
    );
  });
}

import type { Account, Accounts } from '../../engine/accounts/index.ts';
import type { OperatorRecord, Ranking } from '../../engine/ranking/index.ts';
import { CommandError } from './command-context.ts';

/** An operator by codename, with its account if it has one. @throws CommandError when there is no such operator. */
export async function requireOperator(
  { ranking, accounts }: { readonly ranking: Pick<Ranking, 'operators'>; readonly accounts: Accounts },
  codename: string,
): Promise<{ readonly operator: OperatorRecord; readonly account: Account | null }> {
  const operator = await ranking.operators.find(codename);
  if (operator === null) {
    const next = `Create it: npm run -s ops -- operator create ${codename}`;
    throw new CommandError(`there is no operator ${codename}`, next);
  }
  return { operator, account: await accounts.byOperator(operator.operator) };
}

/** The error for an operator whose creation was interrupted. */
export function withoutAccount(codename: string): CommandError {
  const next = `Complete it: npm run -s ops -- operator create ${codename}`;
  return new CommandError(`the operator ${codename} has no account`, next);
}

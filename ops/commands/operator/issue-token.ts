import { type CommandContext, printJson } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { withService } from '../service.ts';
import { mintToken, requireOwnTokens, requireTokenLifetime } from './mint-token.ts';
import { requireOperator } from './require-operator.ts';

interface TokenRequest {
  readonly codename: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly json?: boolean;
}

/** Prints a new access token of an operator: the token alone, or a JSON object. */
export async function issueToken(context: CommandContext, { codename, expiresIn, json }: TokenRequest): Promise<void> {
  requireTokenLifetime(expiresIn);
  await withService(context, async (service) => {
    requireOwnTokens(service.config);
    const { operator, account } = await requireOperator(service, codename);
    if (account === null) {
      throw new CommandError(
        `the operator ${operator.codename} has no account`,
        `Complete it: npm run -s ops -- operator create ${operator.codename}`,
      );
    }
    const token = await mintToken(service, account, expiresIn);
    if (json === true) printJson(context, { codename: operator.codename, ...token });
    else context.print(`${token.access_token}\n`);
  });
}

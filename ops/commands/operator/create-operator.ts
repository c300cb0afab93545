import type { Account } from '../../../engine/accounts/index.ts';
import type { OperatorRecord } from '../../../engine/ranking/index.ts';
import { type CommandContext, printJson } from '../command-context.ts';
import { CommandError } from '../command-error.ts';
import { durationText } from '../parse-duration.ts';
import { type Service, withService } from '../service.ts';
import { mintToken, requireOwnTokens, requireTokenLifetime } from './mint-token.ts';

interface CreateRequest {
  readonly codename: string;
  readonly displayName?: string;
  readonly plan?: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly json?: boolean;
}

/** Creates an operator and its account, and prints both with an access token. */
export async function createOperator(context: CommandContext, request: CreateRequest): Promise<void> {
  requireTokenLifetime(request.expiresIn);
  await withService(context, async (service) => {
    requireOwnTokens(service.config);
    const { operator, account } = await enrol(service, request);
    const token = await mintToken(service, account, request.expiresIn);
    const { codename, displayName: display_name } = operator;
    if (request.json === true) {
      const { subject, plan } = account;
      printJson(context, { codename, display_name, operator: operator.operator, subject, plan, ...token });
      return;
    }
    context.print(
      `Created operator ${codename} (number ${operator.operator}, plan ${account.plan}).\n` +
        `Access token, valid for ${durationText(token.expires_in)} at ${token.base_url}:\n\n` +
        `export UPSILON_TOKEN=${token.access_token}\n\n` +
        `For another token: npm run -s ops -- operator token ${codename}\n`,
    );
  });
}

async function enrol(
  { ranking, accounts }: Service,
  { codename, displayName, plan }: CreateRequest,
): Promise<{ readonly operator: OperatorRecord; readonly account: Account }> {
  const enrolment = await ranking.operators.enrol({ codename, displayName: displayName ?? null });
  if (enrolment.kind === 'invalid' || enrolment.kind === 'reserved') {
    throw new CommandError(withoutStop(enrolment.detail), 'Choose another one.');
  }
  const operator = await ranking.operators.find(codename);
  // A taken codename without an account is an interrupted creation, which this completes.
  const hasAccount = operator !== null && (await accounts.byOperator(operator.operator)) !== null;
  if (operator === null || hasAccount) {
    throw new CommandError(
      `the codename ${codename} is taken`,
      `Choose another one, or get a token of that operator: npm run -s ops -- operator token ${codename}`,
    );
  }
  return { operator, account: await accounts.create({ operator: operator.operator, plan }) };
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

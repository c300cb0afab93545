import { type Account, MAX_ACCESS_TOKEN_LIFETIME_S } from '../../engine/accounts/index.ts';
import { codenameProblem, type OperatorRecord } from '../../engine/ranking/index.ts';
import { type CommandContext, CommandError, type CommandOptions, printResult } from './command-context.ts';
import { durationText } from './parse-duration.ts';
import { requireOperator, withoutAccount } from './require-operator.ts';
import { type Service, withService } from './service.ts';

/** The scopes that the API's operations require. */
const SCOPE = 'openid profile email';

export interface TokenOptions extends CommandOptions {
  /** Seconds. */
  readonly expiresIn: number;
}

export interface CreateOptions extends TokenOptions {
  readonly displayName?: string;
  readonly plan?: string;
  /** Only the token is wanted, also of an operator that exists. */
  readonly tokenOnly?: boolean;
}

/** Creates operators and their accounts, and prints both with access tokens: in JSON one object, or an array for several. */
export async function createOperators(
  context: CommandContext,
  wanted: readonly string[],
  options: CreateOptions,
): Promise<void> {
  requireLifetime(options);
  if (wanted.length > 1 && options.displayName !== undefined) {
    throw new CommandError('a display name is for one operator', 'Create the others without --display-name.');
  }
  for (const codename of wanted) requireAllowed(codenameProblem(codename));
  await withService(context, async (service) => {
    const created: Awaited<ReturnType<typeof createOperator>>[] = [];
    for (const codename of wanted) created.push(await createOperator(service, codename, options));
    if (options.tokenOnly === true)
      return context.print(created.map(({ access_token }) => `${access_token}\n`).join(''));
    const texts = created.map(
      ({ codename, operator, plan, expires_in, base_url, access_token }) =>
        `Created operator ${codename} (number ${operator}, plan ${plan}).\n` +
        `Access token, valid for ${durationText(expires_in)} at ${base_url}:\n\n` +
        `export UPSILON_TOKEN=${access_token}\n\n` +
        `For another token: npm run -s ops -- operator token ${codename}\n`,
    );
    printResult(context, options, wanted.length === 1 ? created[0]! : created, texts.join('\n'));
  });
}

async function createOperator(service: Service, wanted: string, options: CreateOptions) {
  const { operator: record, account } = await enrol(service, wanted, options);
  const { codename, displayName: display_name, operator } = record;
  const { subject, plan } = account;
  return { codename, display_name, operator, subject, plan, ...(await mintToken(service, account, options)) };
}

/** Prints a new access token of an operator: the token alone, or a JSON object. */
export async function issueToken(context: CommandContext, wanted: string, options: TokenOptions): Promise<void> {
  requireLifetime(options);
  await withService(context, async (service) => {
    const { operator, account } = await requireOperator(service, wanted);
    const { codename } = operator;
    if (account === null) throw withoutAccount(codename);
    const token = await mintToken(service, account, options);
    printResult(context, options, { codename, ...token }, `${token.access_token}\n`);
  });
}

/** @throws CommandError when the lifetime is too long. */
function requireLifetime({ expiresIn }: TokenOptions): void {
  if (expiresIn > MAX_ACCESS_TOKEN_LIFETIME_S) {
    const max = durationText(MAX_ACCESS_TOKEN_LIFETIME_S);
    throw new CommandError(`an access token lives at most ${max}`, 'Ask for a shorter --expires-in.');
  }
}

/** An access token in the form of a token endpoint response (RFC 6749, section 5.1), with the API's base URL. */
async function mintToken({ accounts, config }: Service, { subject }: Account, { expiresIn }: TokenOptions) {
  const { baseUrl, authUrl } = config;
  const claims = { subject, scope: SCOPE, audience: baseUrl, issuer: authUrl, lifetimeSeconds: expiresIn };
  const access_token = await accounts.signingKeys.mintAccessToken(claims);
  return { access_token, token_type: 'Bearer', expires_in: expiresIn, scope: SCOPE, base_url: baseUrl };
}

/** @throws CommandError for a problem of a name */
function requireAllowed(problem: { readonly detail: string } | null): void {
  if (problem !== null) throw new CommandError(problem.detail.replace(/\.$/, ''), 'Choose another one.');
}

async function enrol(
  { ranking, accounts }: Service,
  codename: string,
  { displayName, plan, tokenOnly }: CreateOptions,
): Promise<{ readonly operator: OperatorRecord; readonly account: Account }> {
  const enrolment = await ranking.operators.enrol({ codename, displayName: displayName ?? null });
  requireAllowed(enrolment.kind === 'invalid' || enrolment.kind === 'reserved' ? enrolment : null);
  const operator = await ranking.operators.find(codename);
  // A taken codename without an account is an interrupted creation, which this completes.
  const account = operator === null ? null : await accounts.byOperator(operator.operator);
  if (operator !== null && account !== null && tokenOnly === true) return { operator, account };
  if (operator === null || account !== null) {
    const next = `Choose another one, or get a token of that operator: npm run -s ops -- operator token ${codename}`;
    throw new CommandError(`the codename ${codename} is taken`, next);
  }
  return { operator, account: await accounts.create({ operator: operator.operator, plan }) };
}

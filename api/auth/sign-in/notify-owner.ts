import type { SignedInPerson } from '../../../engine/accounts/index.ts';
import type { SignInContext } from './context.ts';
import { PATHS } from './paths.ts';
import { PROVIDER_TITLES } from './provider-titles.ts';

/** Mails every address of an account that a way to sign in was added to it. */
export async function notifyOwner(
  { accounts, mailer, loginUrl, clock }: SignInContext,
  operator: number,
  { provider, label }: Pick<SignedInPerson, 'provider' | 'label'>,
): Promise<void> {
  if (mailer === null) return;
  const way = `${PROVIDER_TITLES[provider]}: ${label}`;
  const text = `At ${new Date(clock()).toISOString()} a new way to sign in was added to your Upsilon account:

${way}

If you did not add it, remove it and sign out everywhere:

${loginUrl}${PATHS.account}
`;
  for (const to of await accounts.identities.addressesOf(operator)) {
    await mailer.send({ to, subject: 'A way to sign in was added', text });
  }
}

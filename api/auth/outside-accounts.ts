import { type Account, canonicalAddress } from '../../engine/accounts/index.ts';
import type { ApiContext } from '../context/api-context.ts';
import { createOperatorMaker } from '../members/operator-maker.ts';
import type { VerifiedToken } from './verify-token.ts';

/**
 * The account of a token's subject at an external identity provider, created on the first token. Its address is that of the
 * newest token.
 */
export async function admitOutside(
  { config, accounts, ranking }: Pick<ApiContext, 'config' | 'accounts' | 'ranking'>,
  { subject: theirs, verifiedEmail }: Pick<VerifiedToken, 'subject' | 'verifiedEmail'>,
): Promise<Account | null> {
  // Subjects are unique only within an issuer.
  const subject = `${config.issuer}|${theirs}`;
  const known = await accounts.identities.find('outside', subject);
  const isCurrent = verifiedEmail === null || known?.email === canonicalAddress(verifiedEmail);
  const account = known === null || !isCurrent ? null : await accounts.byOperator(known.operator);
  if (account !== null) return account;
  const person = { provider: 'outside', subject, label: verifiedEmail ?? theirs, verifiedEmail } as const;
  // An API request has no page that could ask the person to follow a mailed link.
  const options = { client: null, knownAddress: 'separate' } as const;
  const outcome = await accounts.identities.signIn(person, createOperatorMaker(ranking.operators), options);
  return outcome.kind === 'signed_in' ? outcome.account : accounts.identities.accountOf('outside', subject);
}

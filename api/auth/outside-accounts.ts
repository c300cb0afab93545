import { type Account, type Accounts, canonicalAddress, type OperatorMaker } from '../../engine/accounts/index.ts';
import type { VerifiedToken } from './verify-token.ts';

/** Accounts for subjects of an external identity provider. */
export interface OutsideAccounts {
  /** The account of a token's subject, created on the first token. Its address is that of the newest token. */
  admit(token: Pick<VerifiedToken, 'subject' | 'verifiedEmail'>): Promise<Account | null>;
}

export interface OutsideAccountsOptions {
  /** Subjects are unique only within an issuer. */
  readonly issuer: string;
  readonly accounts: Pick<Accounts, 'identities' | 'byOperator'>;
  readonly maker: OperatorMaker;
}

export function createOutsideAccounts({ issuer, accounts, maker }: OutsideAccountsOptions): OutsideAccounts {
  return {
    async admit({ subject: theirs, verifiedEmail }) {
      const subject = `${issuer}|${theirs}`;
      const known = await accounts.identities.find('outside', subject);
      const isCurrent = verifiedEmail === null || known?.email === canonicalAddress(verifiedEmail);
      const account = known === null || !isCurrent ? null : await accounts.byOperator(known.operator);
      if (account !== null) return account;
      const person = { provider: 'outside', subject, label: verifiedEmail ?? theirs, verifiedEmail } as const;
      // An API request has no page that could ask the person to follow a mailed link.
      const options = { client: null, knownAddress: 'separate' } as const;
      const outcome = await accounts.identities.signIn(person, maker, options);
      return outcome.kind === 'signed_in' ? outcome.account : accounts.identities.accountOf('outside', subject);
    },
  };
}

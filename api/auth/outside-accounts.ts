import { type Account, type Accounts, canonicalAddress, type OperatorMaker } from '../../engine/accounts/index.ts';
import type { VerifiedToken } from './verify-token.ts';

/** Accounts of people whom an outside identity provider vouches for. */
export interface OutsideAccounts {
  /** The account of a token's subject, made on first sight. The address is the one that the newest token names. */
  admit(token: Pick<VerifiedToken, 'subject' | 'verifiedEmail'>): Promise<Account | null>;
}

export interface OutsideAccountsOptions {
  /** Subjects are unique within an issuer alone. */
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
      // There is no page here that could ask the person to follow a mailed link.
      const options = { client: null, knownAddress: 'separate' } as const;
      const outcome = await accounts.identities.signIn(person, maker, options);
      return outcome.kind === 'signed_in' ? outcome.account : accounts.identities.accountOf('outside', subject);
    },
  };
}

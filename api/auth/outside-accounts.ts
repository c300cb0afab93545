import type { Account, Accounts, OperatorMaker } from '../../engine/accounts/index.ts';
import type { VerifiedToken } from './verify-token.ts';

/** Accounts of people whom an outside identity provider vouches for. */
export interface OutsideAccounts {
  /** The account of a token's subject, made on first sight. */
  admit(token: Pick<VerifiedToken, 'subject' | 'verifiedEmail'>): Promise<Account | null>;
}

export interface OutsideAccountsOptions {
  /** Subjects are unique within an issuer alone. */
  readonly issuer: string;
  readonly accounts: Pick<Accounts, 'identities'>;
  readonly maker: OperatorMaker;
}

export function createOutsideAccounts({ issuer, accounts, maker }: OutsideAccountsOptions): OutsideAccounts {
  return {
    async admit({ subject: theirs, verifiedEmail }) {
      const subject = `${issuer}|${theirs}`;
      const known = await accounts.identities.accountOf('outside', subject);
      if (known !== null) return known;
      const person = { provider: 'outside', subject, label: verifiedEmail ?? theirs, verifiedEmail } as const;
      const outcome = await accounts.identities.signIn(person, maker, null);
      return outcome.kind === 'signed_in' ? outcome.account : accounts.identities.accountOf('outside', subject);
    },
  };
}

/** Titles of the ways to sign in, on pages and in mails. */
export const PROVIDER_TITLES = {
  github: 'GitHub',
  twitter: 'X',
  email_magic_link: 'E-mail',
  development: 'Development',
  outside: 'Identity provider',
} as const;

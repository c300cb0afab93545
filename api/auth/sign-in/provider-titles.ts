/** What people know the ways to sign in by. */
export const PROVIDER_TITLES = {
  github: 'GitHub',
  twitter: 'X',
  email_magic_link: 'E-mail',
  development: 'Development',
  outside: 'Identity provider',
} as const;

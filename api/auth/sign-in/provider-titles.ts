/** Names of the ways to sign in, as pages and mails show them. */
export const PROVIDER_TITLES = {
  github: 'GitHub',
  twitter: 'X',
  email_magic_link: 'E-mail',
  development: 'Development',
  outside: 'Identity provider',
} as const;

/** Scopes that operations with a token require: contract, part 5. */
export const REQUIRED_SCOPES = ['openid', 'profile', 'email'] as const;

/** Supported scopes and their purpose. */
export const SUPPORTED_SCOPES = {
  openid: 'Sign in.',
  profile: 'Your codename and display name.',
  email: 'Your e-mail address.',
  leagues: 'The leagues that you are in, and their boards.',
  offline_access: 'Stay signed in.',
} as const;

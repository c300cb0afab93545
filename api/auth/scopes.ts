/** Scopes that operations with a token declare: contract, part 5. */
export const REQUIRED_SCOPES = ['openid', 'profile', 'email'] as const;

/** Scopes the service supports, with what each is for. */
export const SUPPORTED_SCOPES = {
  openid: 'Sign in.',
  profile: 'Your codename and display name.',
  email: 'Your e-mail address.',
  offline_access: 'Stay signed in.',
} as const;

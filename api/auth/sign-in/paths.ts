/** Paths below `login_url`. */
export const PATHS = {
  login: '/login',
  email: '/login/email',
  link: '/login/link',
  development: '/login/development',
  outbox: '/login/outbox',
  consent: '/login/consent',
  callback: '/auth/callback',
  account: '/account',
  plan: '/account/plan',
  subscribe: '/account/subscribe',
  subscribed: '/account/subscribed',
  portal: '/account/portal',
  unlink: '/account/unlink',
  removeAddress: '/account/addresses/remove',
  signOut: '/account/sign-out',
  signOutEverywhere: '/account/sign-out-everywhere',
  rename: '/account/rename',
  revokeDevice: '/account/devices/revoke',
  export: '/account/export',
  erase: '/account/erase',
  session: '/api/auth/session',
} as const;

/** The path for browsers, with the path of `login_url`. */
export function pathOf({ loginUrl }: { readonly loginUrl: string }, path: string): string {
  return `${new URL(loginUrl).pathname.replace(/\/$/, '')}${path}`;
}

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
  displayName: '/account/display-name',
  hide: '/account/hide',
  letters: '/account/letters',
  endLetters: '/account/letters/end',
  open: '/account/open',
  endApp: '/account/apps/end',
  revokeDevice: '/account/devices/revoke',
  makeToken: '/account/tokens',
  export: '/account/export',
  erase: '/account/erase',
  answer: '/account/integrity/answer',
  appeal: '/account/integrity/appeal',
  report: '/account/report',
  leagues: '/account/leagues',
  league: '/account/league',
  joinLeague: '/account/league/join',
  moderation: '/moderation',
  moderationCase: '/moderation/case',
  openReview: '/moderation/open',
  decide: '/moderation/decide',
  decideLeague: '/moderation/league',
  session: '/api/auth/session',
} as const;

/** The paths for browsers, with the path of `login_url`. */
export function pathsBelow(loginUrl: string): Readonly<Record<keyof typeof PATHS, string>> {
  const prefix = new URL(loginUrl).pathname.replace(/\/$/, '');
  const below = Object.entries(PATHS).map(([name, path]) => [name, `${prefix}${path}`] as const);
  return { ...PATHS, ...Object.fromEntries(below) };
}

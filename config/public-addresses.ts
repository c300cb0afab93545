import type { Env } from './env.ts';

/** The addresses that carry tokens, cookies, secrets, keys or outcomes of payments, and so need https in production. */
const GUARDED = [
  'BASE_URL',
  'SITE_URL',
  'LOGIN_URL',
  'AUTH_URL',
  'ISSUER',
  'JWKS_URL',
  'GITHUB_URL',
  'GITHUB_API_URL',
  'TWITTER_URL',
  'TWITTER_API_URL',
  'X402_FACILITATOR_URL',
  'X402_RPC_URL',
] as const satisfies (keyof Env)[];

/** Whether an address is on this machine: 127.0.0.0/8, ::1, localhost and the names below it (RFC 6761). */
export function isLoopback(address: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(address).hostname);
}

/** One problem for each address that is neither https nor on this machine, in production. */
export function plainHttpProblems(env: Env): string[] {
  if (env.NODE_ENV !== 'production') return [];
  return GUARDED.flatMap((name) => {
    const address = env[name];
    if (address === undefined || address.startsWith('https:') || isLoopback(address)) return [];
    return [`${name} is not https: with NODE_ENV=production only addresses of this machine may be plain http`];
  });
}

/** Where security reports go, for `security.txt`. An installation with a public address has to name it. */
export function readContact({ CONTACT }: Env, addresses: readonly string[], problems: string[]): string | null {
  if (CONTACT === undefined && !addresses.every(isLoopback)) {
    problems.push(
      'CONTACT is not set, but this installation has a public address: it names where security reports go, such as mailto:security@upsilon.example',
    );
  }
  return CONTACT ?? null;
}

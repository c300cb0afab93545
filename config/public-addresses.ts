import type { Env } from './env.ts';

/** Addresses over which tokens, cookies, secrets, keys or payment outcomes are sent: https in production. */
const HTTPS_ADDRESSES = [
  'BASE_URL',
  'SITE_URL',
  'LOGIN_URL',
  'AUTH_URL',
  'X402_FACILITATOR_URL',
  'X402_RPC_URL',
] as const satisfies (keyof Env)[];

/** Prints a new `SECRETS_KEY`. */
const MAKE_KEY = `node -p "crypto.randomBytes(32).toString('base64url')"`;

/** Whether an address is on this machine: 127.0.0.0/8, ::1, localhost and the names below it (RFC 6761). */
export function isLoopback(address: string): boolean {
  return /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(address).hostname);
}

/** In production, one problem for each address that is neither https nor on this machine. */
export function plainHttpProblems(env: Env): string[] {
  if (env.NODE_ENV !== 'production') return [];
  return HTTPS_ADDRESSES.flatMap((name) => {
    const address = env[name];
    if (address === undefined || address.startsWith('https:') || isLoopback(address)) return [];
    return [`${name} is not https: with NODE_ENV=production only addresses of this machine may be plain http`];
  });
}

/** The contact for security reports in `security.txt`. Required for an installation with a public address. */
export function readContact({ CONTACT }: Env, addresses: readonly string[], problems: string[]): string | null {
  if (CONTACT === undefined && !addresses.every(isLoopback)) {
    problems.push(
      'CONTACT is not set, but this installation has a public address: set it to the address for security reports, such as mailto:security@upsilon.example',
    );
  }
  return CONTACT ?? null;
}

/** The keys that encrypt secrets in MongoDB. Required for an installation with a public address. */
export function readSecretsKeys(
  { SECRETS_KEY }: Env,
  addresses: readonly string[],
  problems: string[],
): Env['SECRETS_KEY'] {
  if (SECRETS_KEY.length === 0 && !addresses.every(isLoopback)) {
    problems.push(
      `SECRETS_KEY is not set, but this installation has a public address: make a key with \`${MAKE_KEY}\` and keep a copy away from the backups. ` +
        'Data that are stored unencrypted are encrypted at the next start of the api',
    );
  }
  return SECRETS_KEY;
}

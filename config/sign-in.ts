import type { Env } from './env.ts';
import { isLoopback } from './public-addresses.ts';

export type SignInConfig = Readonly<ReturnType<typeof readSignIn>>;

/** Addresses of the upstreams without a trailing slash: where people sign in, and the API. Only tests replace them. */
const UPSTREAM_URLS = {
  GITHUB: { url: 'https://github.com', apiUrl: 'https://api.github.com' },
  TWITTER: { url: 'https://x.com', apiUrl: 'https://api.x.com' },
};

export const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The sign-in settings; `addresses` are the four public addresses. Appends to `problems`. */
export function readSignIn(env: Env, addresses: readonly string[], problems: string[]) {
  const local = isLocal(env, addresses);
  if (env.DEV_SIGN_IN === true && !local) {
    problems.push(
      'DEV_SIGN_IN is on, but this is not a local installation: it lets everyone sign in as every operator. ' +
        'It works only while NODE_ENV is not production, HOST and all public addresses are of this machine, and no proxy is trusted',
    );
  }
  const [login = 'http://localhost'] = addresses;
  return {
    github: readUpstream(env, 'GITHUB', problems),
    twitter: readUpstream(env, 'TWITTER', problems),
    oidc: readOidc(env, problems),
    /** May contain credentials. Null: no mail is sent; a local installation shows it in the log and on the outbox page. */
    smtpUrl: env.SMTP_URL ?? null,
    /** The `From` of mail. */
    mailFrom: env.MAIL_FROM ?? `Upsilon <no-reply@${new URL(login).hostname}>`,
    /** Whether only this machine can reach the installation: development sign-in and the outbox exist only then. */
    local,
    /** Who may sign in as every operator, and read the outbox. */
    development: developmentAccess(env, local),
  };
}

/** `loopback`: only requests to a loopback host without headers of a proxy. */
function developmentAccess({ DEV_SIGN_IN }: Env, local: boolean): 'everybody' | 'loopback' | 'off' {
  if (!local || DEV_SIGN_IN === false) return 'off';
  return DEV_SIGN_IN === true ? 'everybody' : 'loopback';
}

/** Whether, by the settings, only this machine can reach the installation. */
function isLocal(env: Env, addresses: readonly string[]): boolean {
  const hosts = addresses.map((address) => new URL(address));
  return (
    env.NODE_ENV !== 'production' &&
    env.TRUSTED_PROXIES.length === 0 &&
    LOOPBACK_HOSTS.has(env.HOST === '::1' ? '[::1]' : env.HOST) &&
    hosts.every(({ protocol, hostname }) => protocol === 'http:' && LOOPBACK_HOSTS.has(hostname))
  );
}

/** A provider at which the service is registered as a client. */
export type UpstreamConfig = Readonly<NonNullable<ReturnType<typeof readUpstream>>>;

function readUpstream(env: Env, name: keyof typeof UPSTREAM_URLS, problems: string[]) {
  const clientId = env[`${name}_CLIENT_ID`];
  const clientSecret = env[`${name}_CLIENT_SECRET`];
  if (clientId !== undefined && clientSecret !== undefined) {
    return { clientId, clientSecret, ...UPSTREAM_URLS[name] };
  }
  if (clientId !== undefined) problems.push(`${name}_CLIENT_SECRET is not set, but ${name}_CLIENT_ID is`);
  if (clientSecret !== undefined) problems.push(`${name}_CLIENT_ID is not set, but ${name}_CLIENT_SECRET is`);
  return null;
}

/** A provider of OpenID Connect, at which the service is registered as a client. */
export type OidcConfig = Readonly<NonNullable<ReturnType<typeof readOidc>>>;

function readOidc(env: Env, problems: string[]) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, OIDC_NAME: name } = env;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
    const isPart = [issuer, clientId, clientSecret].some((value) => value !== undefined);
    if (isPart) problems.push('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET belong together: set all or none');
    return null;
  }
  if (!issuer.startsWith('https:') && !isLoopback(issuer)) {
    problems.push('OIDC_ISSUER is neither https nor on this machine');
  }
  return { issuer, clientId, clientSecret, name };
}

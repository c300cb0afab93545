import type { Env } from './env.ts';

/** A provider at which the service is registered as a client. Addresses have no trailing slash. */
export interface UpstreamConfig {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly url: string;
  readonly apiUrl: string;
}

/** `loopback`: only requests to a loopback host without headers of a proxy. */
export type DevelopmentAccess = 'everybody' | 'loopback' | 'off';

export interface SignInConfig {
  readonly github: UpstreamConfig | null;
  readonly twitter: UpstreamConfig | null;
  /** May contain credentials. Null: no mail is sent; a local installation shows it in the log and on the outbox page. */
  readonly smtpUrl: string | null;
  /** The `From` of mail. */
  readonly mailFrom: string;
  /** Whether only this machine can reach the installation: development sign-in and the outbox exist only then. */
  readonly local: boolean;
  /** Who may sign in as any operator, and read the outbox. */
  readonly development: DevelopmentAccess;
}

export const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The sign-in settings; `addresses` are the four public addresses. Appends to `problems`. */
export function readSignIn(env: Env, addresses: readonly string[], problems: string[]): SignInConfig {
  const local = isLocal(env, addresses);
  if (env.DEV_SIGN_IN === true && !local) {
    problems.push(
      'DEV_SIGN_IN is on, but this is not a local installation: it lets everyone sign in as any operator. ' +
        'It works only while NODE_ENV is not production, HOST and all public addresses are of this machine, and no proxy is trusted',
    );
  }
  const { GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET, TWITTER_CLIENT_ID, TWITTER_CLIENT_SECRET } = env;
  const [login = 'http://localhost'] = addresses;
  return {
    github: upstream(
      {
        name: 'GITHUB',
        id: GITHUB_CLIENT_ID,
        secret: GITHUB_CLIENT_SECRET,
        url: env.GITHUB_URL,
        apiUrl: env.GITHUB_API_URL,
      },
      problems,
    ),
    twitter: upstream(
      {
        name: 'TWITTER',
        id: TWITTER_CLIENT_ID,
        secret: TWITTER_CLIENT_SECRET,
        url: env.TWITTER_URL,
        apiUrl: env.TWITTER_API_URL,
      },
      problems,
    ),
    smtpUrl: env.SMTP_URL ?? null,
    mailFrom: env.MAIL_FROM ?? `Upsilon <no-reply@${new URL(login).hostname}>`,
    local,
    development: !local || env.DEV_SIGN_IN === false ? 'off' : env.DEV_SIGN_IN === true ? 'everybody' : 'loopback',
  };
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

interface Registration {
  readonly name: string;
  readonly id: string | undefined;
  readonly secret: string | undefined;
  readonly url: string;
  readonly apiUrl: string;
}

function upstream({ name, id, secret, url, apiUrl }: Registration, problems: string[]): UpstreamConfig | null {
  if (id !== undefined && secret !== undefined) return { clientId: id, clientSecret: secret, url, apiUrl };
  if (id !== undefined) problems.push(`${name}_CLIENT_SECRET is not set, but ${name}_CLIENT_ID is`);
  if (secret !== undefined) problems.push(`${name}_CLIENT_ID is not set, but ${name}_CLIENT_SECRET is`);
  return null;
}

import type { Redis } from 'ioredis';
import type { Context, Middleware } from 'koa';
import type { BillingConfig } from '../../config/billing.ts';
import type { SignInConfig } from '../../config/sign-in.ts';
import type { TrustedProxy } from '../../config/trusted-proxy.ts';
import type { Accounts, OperatorMaker } from '../../engine/accounts/index.ts';
import type { Clock, Ranking } from '../../engine/ranking/index.ts';
import type { Logger } from '../../ops/runtime/telemetry/index.ts';
import type { ApiBilling } from '../billing/open-api-billing.ts';
import { createClientKey } from '../http/client-key.ts';
import type { ExportMember } from '../members/export-member.ts';
import type { Members } from '../members/members.ts';
import { createAuthorizationServer } from './authorization-server/create-server.ts';
import { serveServer } from './authorization-server/serve-server.ts';
import type { SignInContext } from './sign-in/context.ts';
import { createCookies } from './sign-in/cookies.ts';
import { createGithub } from './sign-in/github.ts';
import { createSignInLimits, SIGN_IN_QUOTAS, type SignInQuotas } from './sign-in/limits.ts';
import { createMailProofs } from './sign-in/mail-proofs.ts';
import { createLocalMailer, createSmtpMailer, type Mailer } from './sign-in/mailer.ts';
import { PATHS } from './sign-in/paths.ts';
import { serveSignIn } from './sign-in/serve-sign-in.ts';
import { createTwitter } from './sign-in/twitter.ts';
import type { Upstream } from './sign-in/upstream.ts';

export interface IdentitySettings {
  readonly baseUrl: string;
  readonly siteUrl: string;
  readonly loginUrl: string;
  readonly authUrl: string;
  readonly signIn: SignInConfig;
  readonly billing: BillingConfig;
  readonly enforcePlan: boolean;
  readonly trustedProxies: readonly TrustedProxy[];
  readonly redisPrefix: string;
  /** Overrides the default quotas, for tests. */
  readonly quotas?: SignInQuotas;
}

export interface IdentityPorts {
  readonly accounts: Accounts;
  readonly members: Members;
  readonly exportMember: ExportMember;
  readonly billing: ApiBilling;
  readonly maker: OperatorMaker;
  readonly operators: Pick<Ranking['operators'], 'byNumber'>;
  readonly clock: Clock;
  readonly redis: Pick<Redis, 'pipeline'> | null;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

/** Sign-in and the authorization server, as middleware of the api's Koa app. */
export interface Identity {
  readonly middleware: readonly Middleware[];
  /** Waits for work that continues after responses. */
  close(): Promise<void>;
}

/** Composes sign-in and the authorization server. Opens only a mail connection, on demand. */
export function createIdentity(settings: IdentitySettings, ports: IdentityPorts): Identity {
  const { baseUrl, siteUrl, loginUrl, authUrl, signIn } = settings;
  const { accounts, operators, clock, logger, redis } = ports;
  const onError = (error: unknown): void => logger.error({ err: error }, 'sign-in failed');
  const server = createAuthorizationServer({ authUrl, loginUrl, baseUrl, accounts, operators, clock, onError });
  const limits = createSignInLimits({
    quotas: settings.quotas ?? SIGN_IN_QUOTAS,
    clock,
    redis,
    prefix: `${settings.redisPrefix}:sign-in`,
    onError: (error) => logger.warn({ err: error }, 'could not share sign-in request counts'),
  });
  const mailer = createMailer(settings, logger);
  const cookies = createCookies(loginUrl);
  const running = new Set<Promise<unknown>>();
  const context: SignInContext = {
    loginUrl,
    authUrl,
    siteUrl,
    origins: [...new Set([loginUrl, authUrl, siteUrl].map((address) => new URL(address).origin))],
    accounts,
    members: ports.members,
    exportMember: ports.exportMember,
    billing: ports.billing,
    prices: settings.billing.prices,
    enforcePlan: settings.enforcePlan,
    paymentOrigins: settings.billing.stripe?.pageOrigins ?? [],
    maker: ports.maker,
    server,
    upstreams: createUpstreams(signIn, `${loginUrl}${PATHS.callback}`),
    mailer,
    development: signIn.development,
    cookies,
    mailProofs: createMailProofs({ accounts, cookies, clock }),
    limits,
    clock,
    logger,
    later(work) {
      const task = work.catch(onError).finally(() => running.delete(task));
      running.add(task);
    },
  };
  const hosts = hostsOf([baseUrl, siteUrl, loginUrl, authUrl]);
  const clientKey = createClientKey(settings.trustedProxies);
  const clientOf = ({ req }: Context): string => {
    const forwarded = req.headers['x-forwarded-for'];
    return clientKey(req.socket.remoteAddress, typeof forwarded === 'string' ? forwarded : forwarded?.join(','));
  };
  const { oneTime, oidc } = accounts;
  return {
    middleware: [
      serveServer({ authUrl, loginUrl, baseUrl, hosts, server, oneTime, oidc, limits, clientOf }),
      serveSignIn(context, { hosts, clientOf }),
    ],
    async close() {
      await Promise.all(running);
      await limits.close();
      mailer?.close();
    },
  };
}

function hostsOf(addresses: readonly string[]): 'apart' | 'together' {
  return new Set(addresses.map((address) => new URL(address).host)).size > 1 ? 'apart' : 'together';
}

function createUpstreams({ github, twitter }: SignInConfig, redirectUri: string): readonly Upstream[] {
  return [
    ...(github === null ? [] : [createGithub(github, redirectUri)]),
    ...(twitter === null ? [] : [createTwitter(twitter, redirectUri)]),
  ];
}

/** Without a mail server, a local installation logs mail; any other has no sign-in by mail. */
function createMailer({ signIn }: IdentitySettings, logger: Pick<Logger, 'warn'>): Mailer | null {
  if (signIn.smtpUrl !== null) return createSmtpMailer(signIn.smtpUrl, signIn.mailFrom);
  if (!signIn.local) return null;
  return createLocalMailer(({ to, text }) =>
    logger.warn({ to }, `no mail server is configured; the mail is:\n${text}`),
  );
}

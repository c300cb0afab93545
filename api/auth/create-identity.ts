import type { Middleware } from 'koa';
import type { Logger } from '../../ops/runtime/telemetry/index.ts';
import { clientOf, createClientKey } from '../http/client-key.ts';
import { createAuthorizationServer } from './authorization-server/create-server.ts';
import { serveAuthorizationServer } from './serve-authorization-server.ts';
import type { IdentityPorts, IdentitySettings, SignInContext } from './sign-in/context.ts';
import { createCookies } from './sign-in/cookies.ts';
import { createSignInLimits, SIGN_IN_QUOTAS } from './sign-in/limits.ts';
import { createMailProofs } from './sign-in/mail-proofs.ts';
import { createLocalMailer, createSmtpMailer, type Mailer } from './sign-in/mailer.ts';
import { PATHS, pathsBelow } from './sign-in/paths.ts';
import { serveSignIn } from './sign-in/serve-sign-in.ts';
import { createUpstreams } from './sign-in/upstreams.ts';

/** Sign-in and the authorization server, as middleware of the api's Koa app. */
export interface Identity {
  readonly middleware: readonly Middleware[];
  /** Waits for work that continues after responses. */
  close(): Promise<void>;
}

/** Composes sign-in and the authorization server. Opens only a mail connection, on demand. */
export function createIdentity(settings: IdentitySettings, ports: IdentityPorts): Identity {
  const { baseUrl, siteUrl, loginUrl, authUrl, signIn, redisPrefix } = settings;
  const { accounts, clock, logger, redis } = ports;
  const onError = (error: unknown): void => logger.error({ err: error }, 'sign-in failed');
  const limits = createSignInLimits(settings.quotas ?? SIGN_IN_QUOTAS, {
    clock,
    redis,
    prefix: `${redisPrefix}:sign-in`,
    onError: (error) => logger.warn({ err: error }, 'could not share sign-in request counts'),
  });
  const mailer = createMailer(settings, logger);
  const cookies = createCookies(loginUrl);
  const clientKey = createClientKey(settings.trustedProxies);
  const running = new Set<Promise<unknown>>();
  const context: SignInContext = {
    ...settings,
    ...ports,
    paths: pathsBelow(loginUrl),
    hosts: hostsOf([baseUrl, siteUrl, loginUrl, authUrl]),
    origins: [...new Set([loginUrl, authUrl, siteUrl].map((address) => new URL(address).origin))],
    clientOf: ({ req }) => clientOf(req, clientKey),
    prices: settings.billing.prices,
    paymentOrigins: settings.billing.stripe?.pageOrigins ?? [],
    server: createAuthorizationServer({ ...settings, ...ports, onError }),
    upstreams: createUpstreams(signIn, `${loginUrl}${PATHS.callback}`),
    mailer,
    cookies,
    mailProofs: createMailProofs(accounts, cookies, clock),
    limits,
    later(work) {
      const task = work.catch(onError).finally(() => running.delete(task));
      running.add(task);
    },
  };
  return {
    middleware: [serveAuthorizationServer(context), serveSignIn(context)],
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

/** Without a mail server, a local installation logs mail; any other has no sign-in by mail. */
function createMailer({ signIn }: IdentitySettings, logger: Pick<Logger, 'warn'>): Mailer | null {
  if (signIn.smtpUrl !== null) return createSmtpMailer(signIn.smtpUrl, signIn.mailFrom);
  if (!signIn.local) return null;
  return createLocalMailer(({ to, text }) =>
    logger.warn({ to }, `no mail server is configured; the mail is:\n${text}`),
  );
}

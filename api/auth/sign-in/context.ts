import type { OperatorRecord } from '../../../engine/ranking/index.ts';
import { openMailer } from '../../../ops/runtime/mailer.ts';
import type { ApiContext } from '../../context/api-context.ts';
import type { Html } from '../../html.ts';
import { createHosts } from '../../http/hosts.ts';
import { createOperatorMaker } from '../../members/operator-maker.ts';
import { createAuthorizationServer } from '../authorization-server/create-server.ts';
import type { Frame } from '../page.ts';
import { createCookies } from './cookies.ts';
import { createMailProofs } from './mail-proofs.ts';
import { PATHS, pathsBelow } from './paths.ts';
import { createUpstreams, titlesOf } from './upstreams.ts';

/** Everything that sign-in and the authorization server need. */
export type SignInContext = Awaited<ReturnType<typeof openSignInContext>>;

/** What pages of sign-in have from the website. */
export interface SharedPages {
  readonly frameOf: (here: 'login' | 'auth') => Frame;
  /** Where an operator stands, for itself. */
  readonly standing: (record: OperatorRecord) => Promise<Html>;
}

/** Opens only a mail connection, on demand. */
export async function openSignInContext(ctx: ApiContext, { frameOf, standing }: SharedPages) {
  const { config, accounts, ranking, clock, log } = ctx;
  const { siteUrl, loginUrl, authUrl, billing, signIn } = config;
  const { pathBelow } = createHosts(config);
  const mailer = await openMailer(signIn, log, ctx.metrics.mailed);
  const cookies = createCookies(loginUrl);
  const ownFrame = frameOf('auth');
  const running = new Set<Promise<unknown>>();
  return {
    ...config,
    ...ctx,
    standing,
    frame: frameOf('login'),
    /** Of pages of the authorization server. */
    ownFrame,
    /** The paths of pages, for browsers. */
    paths: pathsBelow(loginUrl),
    pathBelow,
    /** The service's origins, which forms may lead to. */
    origins: [...new Set([loginUrl, authUrl, siteUrl].map((address) => new URL(address).origin))],
    prices: billing.prices,
    paymentOrigins: billing.stripe?.pageOrigins ?? [],
    maker: createOperatorMaker(ranking.operators),
    currentProvider: createAuthorizationServer({ ...ctx, frame: ownFrame }),
    upstreams: createUpstreams(signIn, `${loginUrl}${PATHS.callback}`, clock),
    titles: titlesOf(signIn),
    /** Null: no sign-in by mail. */
    mailer,
    cookies,
    mailProofs: createMailProofs(accounts, cookies, clock),
    /** Runs work after the response; `close` waits for it. */
    later(work: Promise<unknown>): void {
      const task = work
        .catch((error: unknown) => log.error({ err: error }, 'sign-in failed'))
        .finally(() => running.delete(task));
      running.add(task);
    },
    async close(): Promise<void> {
      await Promise.all(running);
      mailer?.close();
    },
  };
}

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import { hashOf, newSecret, type Session } from '../../../engine/accounts/index.ts';
import { type PageContent, renderPage } from '../pages/page.ts';
import { pageHeaders } from '../pages/page-headers.ts';
import { allowsDevelopment } from './allows-development.ts';
import type { SignInContext } from './context.ts';

/** The response to a request for a sign-in page. */
export interface Reply {
  page(content: PageContent, options?: { readonly status?: number; readonly formTargets?: readonly string[] }): void;
  /** A path of the login host, or a validated URL. */
  redirect(to: string): void;
}

/** One request for a sign-in page. */
export interface Visit extends Reply {
  readonly ctx: Context;
  readonly query: URLSearchParams;
  /** Empty unless a form was submitted. */
  readonly form: URLSearchParams;
  /** The client's address, or its network, as the rate limiter counts it. */
  readonly client: string;
  /** Id of this browser: the hash of its secret. */
  readonly browser: string;
  /** CSRF token of this browser's forms. */
  readonly csrf: string;
  readonly session: Session | null;
  /** Whether it may use development sign-in and the outbox. */
  readonly development: boolean;
}

/** Replies without reading cookies or stores, for requests over their limit. */
export function replyTo({ loginUrl, origins, siteUrl }: SignInContext, ctx: Context): Reply {
  return {
    page(content, { status = 200, formTargets = [] } = {}) {
      ctx.status = status;
      ctx.set(pageHeaders({ formTargets: [...origins, ...formTargets] }));
      ctx.type = 'text/html; charset=utf-8';
      ctx.body = renderPage(content, siteUrl);
    },
    redirect(to) {
      ctx.set(pageHeaders());
      ctx.status = 303;
      ctx.set('Location', to.startsWith('/') ? new URL(to, loginUrl).href : to);
      ctx.body = '';
    },
  };
}

/** Reads the browser's cookies and session, and sets the browser cookie when it is missing. */
export async function openVisit(
  context: SignInContext,
  ctx: Context,
  { form, client }: { readonly form: URLSearchParams | null; readonly client: string },
): Promise<Visit> {
  const { cookies, accounts } = context;
  const sessionSecret = cookies.session(ctx);
  let browserSecret = cookies.browser(ctx);
  if (browserSecret === null) {
    browserSecret = newSecret();
    cookies.setBrowser(ctx, browserSecret);
  }
  return {
    ...replyTo(context, ctx),
    ctx,
    query: new URLSearchParams(ctx.querystring),
    form: form ?? new URLSearchParams(),
    client,
    browser: hashOf(browserSecret),
    csrf: await csrfOf(context, browserSecret),
    development: allowsDevelopment(context.development, ctx),
    session: sessionSecret === null ? null : await accounts.sessions.find(sessionSecret),
  };
}

/** Whether a form was sent by a page of this service, in the browser that the page was rendered for. */
export function isOwnForm(visit: Visit, { loginUrl }: Pick<SignInContext, 'loginUrl'>): boolean {
  const { origin, 'sec-fetch-site': site } = visit.ctx.headers;
  if (origin !== undefined && origin !== new URL(loginUrl).origin) return false;
  if (site !== undefined && site !== 'same-origin') return false;
  const given = Buffer.from(visit.form.get('csrf') ?? '');
  const expected = Buffer.from(visit.csrf);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function csrfOf({ accounts }: SignInContext, browserSecret: string): Promise<string> {
  const key = await accounts.sharedSecret('form-tokens');
  return createHmac('sha256', key).update(browserSecret).digest('base64url');
}

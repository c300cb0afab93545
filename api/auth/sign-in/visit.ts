import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import { hashOf, newSecret, type Session } from '../../../engine/accounts/index.ts';
import { type PageContent, renderPage } from '../pages/page.ts';
import { pageHeaders } from '../pages/page-headers.ts';
import { allowsDevelopment } from './allows-development.ts';
import type { SignInContext } from './context.ts';

/** How a request to a page of sign-in is answered. */
export interface Reply {
  page(content: PageContent, options?: { readonly status?: number; readonly formTargets?: readonly string[] }): void;
  /** A path of the login host, or an address that was checked. */
  redirect(to: string): void;
}

/** One request to a page of sign-in, and the ways to answer it. */
export interface Visit extends Reply {
  readonly ctx: Context;
  readonly query: URLSearchParams;
  /** Empty unless a form was sent. */
  readonly form: URLSearchParams;
  /** The client's address, as far as the limiter tells addresses apart. */
  readonly client: string;
  /** Names this browser without being its secret. */
  readonly browser: string;
  /** What every form of this browser has to carry. */
  readonly csrf: string;
  readonly session: Session | null;
  /** Whether it may use development sign-in and the outbox. */
  readonly development: boolean;
}

/** Replies without reading cookies or stores, so requests over their limit can use it, too. */
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

/** Finds out what is known of the browser, and gives it a name when it has none. */
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

/** Whether a form was sent by a page of ours, in the browser that it was made for. */
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

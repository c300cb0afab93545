import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import { LOOPBACK_HOSTS } from '../../../config/sign-in.ts';
import { hashOf, newSecret, type Session } from '../../../engine/accounts/index.ts';
import { type Html, html } from '../../html.ts';
import { type PageOptions, pageHeaders, renderPage } from '../page.ts';
import type { SignInContext } from './context.ts';

/** The response to a request for a sign-in page. */
interface Reply {
  page(
    title: string,
    body: Html,
    options?: Pick<PageOptions, 'indexed'> & { readonly status?: number; readonly formTargets?: readonly string[] },
  ): void;
  /** A page with a problem and advice. */
  problem(status: number, title: string, advice: string): void;
  /** A path of the login host, or a validated URL. */
  redirect(to: string): void;
}

/** One request for a sign-in page. */
export interface Visit extends SignInContext, Reply {
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
  readonly inDevelopment: boolean;
}

/** Replies without reading cookies or stores, for requests over their limit. */
export function replyTo({ loginUrl, origins, siteUrl }: SignInContext, ctx: Context): Reply {
  const page: Reply['page'] = (title, body, { status = 200, formTargets = [], ...options } = {}) => {
    ctx.status = status;
    ctx.set(pageHeaders([...origins, ...formTargets]));
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = renderPage(title, body, { home: siteUrl, ...options });
  };
  return {
    page,
    problem: (status, title, advice) => page(title, html`<p>${advice}</p>`, { status }),
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
  const key = await accounts.sharedSecret('form-tokens');
  return {
    ...context,
    ...replyTo(context, ctx),
    ctx,
    query: new URLSearchParams(ctx.querystring),
    form: form ?? new URLSearchParams(),
    client,
    browser: hashOf(browserSecret),
    csrf: createHmac('sha256', key).update(browserSecret).digest('base64url'),
    inDevelopment: allowsDevelopment(context, ctx),
    session: sessionSecret === null ? null : await accounts.sessions.find(sessionSecret),
  };
}

/** Whether a form was sent by a page of this service, in the browser that the page was rendered for. */
export function isOwnForm({ ctx, form, csrf, loginUrl }: Visit): boolean {
  const { origin, 'sec-fetch-site': site } = ctx.headers;
  if (origin !== undefined && origin !== new URL(loginUrl).origin) return false;
  if (site !== undefined && site !== 'same-origin') return false;
  const given = Buffer.from(form.get('csrf') ?? '');
  const expected = Buffer.from(csrf);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Headers that proxies add to forwarded requests. */
const PROXY_HEADERS =
  /^(forwarded|via|x-forwarded(-.*)?|x-(real|client|cluster-client|original)-.*|true-client-ip|cf-.*|cdn-loop)$/;

/**
 * Whether a request may use development sign-in and the outbox. Requests forwarded by a proxy or a tunnel on this machine
 * also come from a loopback address, so the headers have to show that the request was meant for this machine. Proxies that
 * add no header usually speak HTTP/1.0.
 */
export function allowsDevelopment({ signIn: { development } }: SignInContext, { req }: Context): boolean {
  if (development !== 'loopback') return development === 'everybody';
  const { headers, httpVersion } = req;
  const address = `http://${headers.host ?? ''}`;
  const isForThisHost = URL.canParse(address) && LOOPBACK_HOSTS.has(new URL(address).hostname);
  return isForThisHost && httpVersion !== '1.0' && !Object.keys(headers).some((name) => PROXY_HEADERS.test(name));
}

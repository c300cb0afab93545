import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import { LOOPBACK_HOSTS } from '../../../config/sign-in.ts';
import { hashOf, newSecret } from '../../../engine/accounts/index.ts';
import { type Html, html } from '../../html.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { HttpContext } from '../../http/http-context.ts';
import { type FramedPage, pageHeaders } from '../page.ts';
import type { SignInContext } from './context.ts';

interface ReplyOptions extends Pick<FramedPage, 'indexed' | 'width'> {
  readonly status?: number;
  readonly formTargets?: readonly string[];
}

interface Link {
  readonly to: string;
  readonly text: string;
}

/** Ends a request whose response is written. */
export class AnsweredError extends Error {
  override readonly name = 'AnsweredError';
}

/** Replies to a request for a sign-in page. */
function replyTo({ loginUrl, origins, frame }: SignInContext, ctx: Context, back: Link) {
  const page = (title: string, body: Html, { status = 200, formTargets = [], ...options }: ReplyOptions = {}): void => {
    ctx.status = status;
    ctx.set(pageHeaders([...origins, ...formTargets]));
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = frame({ title, body, ...options });
  };
  return {
    page,
    /** Ends the request with a problem, advice, and a link, which leads back unless another one is given. `more` is between. */
    problem(status: number, title: string, advice: string, link = back, more?: Html): never {
      page(title, html`<p>${advice}</p>${more}<p><a href="${link.to}">${link.text}</a></p>`, { status });
      throw new AnsweredError();
    },
    /** `to` is a path of the login host, or a validated URL. */
    redirect: (to: string): void => {
      ctx.set(pageHeaders());
      ctx.status = 303;
      ctx.set('Location', to.startsWith('/') ? new URL(to, loginUrl).href : to);
      ctx.body = '';
    },
  };
}

/** One request for a sign-in page. */
export type Visit = Awaited<ReturnType<typeof openVisit>>;

/** Reads the browser's cookies and session, and sets the browser cookie when it is missing. */
export async function openVisit(
  context: SignInContext,
  ctx: Context,
  {
    form,
    client,
    limiter,
  }: { readonly form: URLSearchParams | null } & Pick<Exchange, 'client'> & Pick<HttpContext, 'limiter'>,
) {
  const { cookies, accounts } = context;
  const sessionSecret = cookies.session(ctx);
  let browserSecret = cookies.browser(ctx);
  if (browserSecret === null) {
    browserSecret = newSecret();
    cookies.setBrowser(ctx, browserSecret);
  }
  const key = await accounts.sharedSecret('form-tokens');
  const session = sessionSecret === null ? null : await accounts.sessions.find(sessionSecret);
  const { paths } = context;
  const next = form?.get('next') ?? '';
  const login = next === '' ? paths.login : loginAddress(context, next);
  const back: Link =
    session === null ? { to: login, text: 'Back to sign-in' } : { to: paths.account, text: 'Back to your account' };
  return {
    ...context,
    ...replyTo(context, ctx, back),
    /** Where forms come from: the account page, or without a session the sign-in page, which keeps where it leads. */
    back,
    ctx,
    query: new URLSearchParams(ctx.querystring),
    /** Empty unless a form was submitted. */
    form: form ?? new URLSearchParams(),
    /** The client's address, or its network, as the rate limiter counts it. */
    client,
    limiter,
    /** Id of this browser: the hash of its secret. */
    browser: hashOf(browserSecret),
    csrf: createHmac('sha256', key).update(browserSecret).digest('base64url'),
    /** Whether it may use development sign-in and the outbox. */
    inDevelopment: allowsDevelopment(context, ctx),
    session,
  };
}

/** The signed-in operator; null without a session, or when the operator or its account is gone. */
export async function readOwner({ session, members, accounts }: Visit) {
  if (session === null) return null;
  const { operator } = session;
  const [record, account] = await Promise.all([members.byNumber(operator), accounts.byOperator(operator)]);
  return record === null || account === null ? null : { session, record, account };
}

/** The sign-in page that leads to an address afterwards; `fresh`: although the browser is signed in. */
export function loginAddress({ paths }: Pick<SignInContext, 'paths'>, next: string, fresh = false): string {
  return `${paths.login}?${new URLSearchParams({ ...(fresh && { fresh: '1' }), next }).toString()}`;
}

/** Sends the browser to sign in, and back to an address. Ends the request. */
export function signInFirst(visit: Visit, ...to: readonly [next: string, fresh?: boolean]): never {
  visit.redirect(loginAddress(visit, ...to));
  throw new AnsweredError();
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
 * Whether a request may use development sign-in and the outbox. Requests through a proxy or tunnel on this machine also come
 * from a loopback address, so the headers decide. Proxies that add no header usually speak HTTP/1.0.
 */
export function allowsDevelopment({ signIn: { development } }: SignInContext, { req }: Context): boolean {
  if (development !== 'loopback') return development === 'everybody';
  const { headers, httpVersion } = req;
  const address = `http://${headers.host ?? ''}`;
  const isForThisHost = URL.canParse(address) && LOOPBACK_HOSTS.has(new URL(address).hostname);
  return isForThisHost && httpVersion !== '1.0' && !Object.keys(headers).some((name) => PROXY_HEADERS.test(name));
}

import type { IncomingMessage } from 'node:http';
import type { Context, Middleware } from 'koa';
import { rateLimited } from '../../http/execute-route.ts';
import { ANSWERED_BY } from '../../http/koa-adapter.ts';
import { Problem } from '../../http/problem.ts';
import {
  eraseAccount,
  exportAccount,
  nameAccount,
  renameAccount,
  revokeDevice,
  showAccount,
  signOut,
  signOutEverywhere,
} from './account-page.ts';
import { signInWithoutProof } from './complete-sign-in.ts';
import { answerConsent, showConsent } from './consent-page.ts';
import type { SignInContext } from './context.ts';
import { mailLink, showLink, showOutbox, useLink } from './email-link.ts';
import { removeAddress, unlinkIdentity } from './identity-section.ts';
import { answerCase, appealCase } from './integrity-section.ts';
import type { SignInQuota } from './limits.ts';
import { showLogin } from './login-page.ts';
import { decideCase, openReview, showCase, showQueue } from './moderation-pages.ts';
import { PATHS } from './paths.ts';
import { leaveForPortal, showPlan, showSubscribed, subscribe } from './plan-pages.ts';
import { sendReport, showReport } from './report-page.ts';
import { answerSession } from './session-answer.ts';
import { makeToken } from './token-section.ts';
import { leaveForUpstream, returnFromUpstream } from './upstream-pages.ts';
import { allowsDevelopment, isOwnForm, openVisit, type Visit } from './visit.ts';

/** Bytes of the largest form. */
const MAX_FORM_BYTES = 16 * 1024;

/**
 * Pages of the login host, at a path below `login_url`; `name` is the label in metrics. A form is accepted only from a page of
 * this service (`isOwnForm`). A page in `development` exists only for requests that may use development sign-in.
 */
const pageBy =
  (method: 'GET' | 'POST', usualQuota: SignInQuota) =>
  (
    path: string,
    name: string,
    answer: (visit: Visit) => Promise<void> | void,
    { quota = usualQuota, development = false } = {},
  ) => ({ method, path, name, answer, quota, development });

type SignInPage = ReturnType<ReturnType<typeof pageBy>>;

const get = pageBy('GET', 'pages');
const post = pageBy('POST', 'sign_in');

/** The pages of this installation: ways to sign in that are not configured have none. */
function pagesOf({ upstreams, mailer }: SignInContext): readonly SignInPage[] {
  const outbox = mailer?.outbox ?? null;
  return [
    get(PATHS.login, 'login', showLogin),
    get(PATHS.consent, 'loginConsent', showConsent),
    post(PATHS.consent, 'answerConsent', answerConsent),
    get(PATHS.account, 'account', showAccount),
    get(PATHS.plan, 'plan', showPlan),
    post(PATHS.subscribe, 'subscribe', subscribe),
    get(PATHS.subscribed, 'subscribed', showSubscribed, { quota: 'sign_in' }),
    get(PATHS.portal, 'portal', leaveForPortal, { quota: 'sign_in' }),
    post(PATHS.unlink, 'unlinkIdentity', unlinkIdentity),
    post(PATHS.removeAddress, 'removeAddress', removeAddress),
    post(PATHS.signOut, 'signOut', signOut),
    post(PATHS.signOutEverywhere, 'signOutEverywhere', signOutEverywhere),
    post(PATHS.rename, 'renameAccount', renameAccount),
    post(PATHS.displayName, 'setDisplayName', nameAccount),
    post(PATHS.revokeDevice, 'revokeDeviceByForm', revokeDevice),
    post(PATHS.makeToken, 'makeToken', makeToken),
    post(PATHS.export, 'exportAccount', exportAccount, { quota: 'export' }),
    post(PATHS.answer, 'answerCase', answerCase),
    post(PATHS.appeal, 'appealCase', appealCase),
    get(PATHS.report, 'showReport', showReport),
    post(PATHS.report, 'sendReport', sendReport),
    get(PATHS.moderation, 'moderation', showQueue),
    get(PATHS.moderationCase, 'moderationCase', showCase),
    post(PATHS.openReview, 'openReview', openReview),
    post(PATHS.decide, 'decideCase', decideCase),
    post(PATHS.erase, 'eraseAccount', eraseAccount),
    get(PATHS.session, 'getSession', answerSession),
    get(PATHS.callback, 'authCallback', returnFromUpstream, { quota: 'sign_in' }),
    ...upstreams.map((upstream) =>
      post(`/login/${upstream.name}`, `login_${upstream.name}`, (visit) => leaveForUpstream(visit, upstream)),
    ),
    ...(mailer === null
      ? []
      : [
          post(PATHS.email, 'mailLink', mailLink),
          get(PATHS.link, 'showLink', showLink, { quota: 'sign_in' }),
          post(PATHS.link, 'useLink', useLink),
        ]),
    ...(outbox === null
      ? []
      : [get(PATHS.outbox, 'outbox', (visit) => showOutbox(visit, outbox), { development: true })]),
    post(PATHS.development, 'developmentSignIn', signInWithoutProof, { development: true }),
  ];
}

/** The pages of the login host. */
export function serveSignIn(context: SignInContext): Middleware {
  const pages = new Map<string, Map<string, SignInPage>>();
  for (const page of pagesOf(context)) {
    if (page.development && context.signIn.development === 'off') continue;
    pages.set(page.path, (pages.get(page.path) ?? new Map<string, SignInPage>()).set(page.method, page));
  }
  /** The page of a request, and the methods at its path, which are none where a trailing slash redirects; null elsewhere. */
  const find = ({ method, host, path }: Pick<Context, 'method' | 'host' | 'path'>) => {
    const below = context.pathBelow('login', { host, path }) ?? '';
    const handled = method === 'HEAD' ? 'GET' : method;
    const methods = pages.get(below);
    if (methods !== undefined) {
      const isDevelopment = [...methods.values()].some(({ development }) => development);
      return { page: methods.get(handled), methods, isDevelopment };
    }
    const redirects = handled === 'GET' && below.endsWith('/') && pages.get(below.slice(0, -1))?.has('GET') === true;
    return redirects ? { methods: new Map<string, SignInPage>(), isDevelopment: false } : null;
  };
  /** Serves the pages, and passes every other request on. */
  return async (ctx, next) => {
    const found = find(ctx);
    if (found === null) return next();
    const { page, methods, isDevelopment } = found;
    if (isDevelopment && !allowsDevelopment(context, ctx)) return next();
    if (page !== undefined) ctx.state[ANSWERED_BY] = page.name;
    // First, so that a refused request costs neither a read of its body nor a query.
    const rate = context.limits.take(page?.quota ?? 'pages', context.clientOf(ctx));
    ctx.set(rate.headers);
    if (!rate.allowed) throw rateLimited(rate);
    if (methods.size === 0) return redirectWithoutSlash(ctx);
    if (page === undefined) throw wrongMethod([...methods.keys()]);
    await answerPage(context, ctx, page);
  };
}

/** A path with a trailing slash redirects to the page, as on the website. */
function redirectWithoutSlash(ctx: Context): void {
  ctx.status = 308;
  ctx.set({ Location: `${ctx.path.slice(0, -1)}${ctx.search}`, 'Cache-Control': 'no-store' });
  ctx.body = '';
}

async function answerPage(context: SignInContext, ctx: Context, page: SignInPage): Promise<void> {
  const form = page.method === 'POST' ? await readForm(ctx.req) : null;
  const visit = await openVisit(context, ctx, { form, client: context.clientOf(ctx) });
  if (page.method === 'POST' && !isOwnForm(visit)) {
    return visit.problem(
      403,
      'This form has expired',
      'Nothing was changed. Open the page again and submit the form once more. Cookies must be enabled for this site.',
    );
  }
  await page.answer(visit);
}

function wrongMethod(methods: readonly string[]): Problem {
  const Allow = methods.flatMap((method) => (method === 'GET' ? ['HEAD', 'GET'] : [method])).join(', ');
  return new Problem('method_not_allowed', { headers: { Allow } });
}

/** The fields of a submitted form; null when the body is not a form or too large. */
async function readForm(request: IncomingMessage): Promise<URLSearchParams | null> {
  const type = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part: unknown = chunk;
    if (!Buffer.isBuffer(part)) return null;
    bytes += part.length;
    // An oversized body is read to its end, up to a bound, so that the client receives the response.
    if (bytes <= MAX_FORM_BYTES) chunks.push(part);
    else if (bytes > 64 * MAX_FORM_BYTES) return null;
  }
  if (type !== 'application/x-www-form-urlencoded' || bytes > MAX_FORM_BYTES) return null;
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

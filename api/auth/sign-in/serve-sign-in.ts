import type { IncomingMessage } from 'node:http';
import type { Context, Middleware } from 'koa';
import { ANSWERED_BY } from '../../http/koa-adapter.ts';
import { pathBelow } from '../path-below.ts';
import { allowsDevelopment } from './allows-development.ts';
import type { SignInContext } from './context.ts';
import { pagesOf, type SignInPage } from './pages-by-path.ts';
import { showProblem } from './problem-pages.ts';
import { isOwnForm, openVisit, replyTo } from './visit.ts';

/** Bytes of the largest form. */
const MAX_FORM_BYTES = 16 * 1024;

export interface ServeOptions {
  readonly hosts: 'apart' | 'together';
  readonly clientOf: (ctx: Context) => string;
}

/** Serves the pages of the login host, and passes every other request on. */
export function serveSignIn(context: SignInContext, { hosts, clientOf }: ServeOptions): Middleware {
  const pages = new Map<string, Map<string, SignInPage>>();
  for (const page of pagesOf(context)) {
    pages.set(page.path, (pages.get(page.path) ?? new Map<string, SignInPage>()).set(page.method, page));
  }
  return async (ctx, next) => {
    const path = pathBelow(ctx, context.loginUrl, hosts);
    const methods = path === null ? undefined : pages.get(path);
    if (methods === undefined) {
      const withoutSlash = path?.endsWith('/') === true ? pages.get(path.slice(0, -1)) : undefined;
      return withoutSlash?.has('GET') === true && (ctx.method === 'GET' || ctx.method === 'HEAD')
        ? redirectWithoutSlash(ctx)
        : next();
    }
    if (!allowsDevelopment(context.development, ctx) && [...methods.values()].some(({ development }) => development))
      return next();
    const page = methods.get(ctx.method === 'HEAD' ? 'GET' : ctx.method);
    if (page === undefined) return refuseMethod(ctx, [...methods.keys()]);
    ctx.state[ANSWERED_BY] = page.name;
    await answer(context, ctx, page, clientOf(ctx));
  };
}

/** A path with a trailing slash redirects to the page, as on the website. */
function redirectWithoutSlash(ctx: Context): void {
  ctx.status = 308;
  ctx.set({ Location: `${ctx.path.slice(0, -1)}${ctx.search}`, 'Cache-Control': 'no-store' });
  ctx.body = '';
}

async function answer(context: SignInContext, ctx: Context, page: SignInPage, client: string): Promise<void> {
  // First, so that a refused request costs neither a read of its body nor a query.
  const rate = context.limits.take(page.quota, client);
  ctx.set({ ...rate.headers });
  if (!rate.allowed) {
    ctx.set('Retry-After', String(rate.resetSeconds));
    return showProblem(replyTo(context, ctx), 429, 'Too many requests', `Try again in ${rate.resetSeconds} s.`);
  }
  const form = page.method === 'POST' ? await readForm(ctx.req) : null;
  const visit = await openVisit(context, ctx, { form, client });
  if (page.method === 'POST' && !isOwnForm(visit, context)) {
    return showProblem(
      visit,
      403,
      'This form is out of date',
      'Nothing was changed. Go back, reload the page, and send the form again. Your browser has to accept cookies of this site.',
    );
  }
  await page.answer(context, visit);
}

function refuseMethod(ctx: Context, methods: readonly string[]): void {
  ctx.status = 405;
  ctx.set({ Allow: methods.flatMap((method) => (method === 'GET' ? ['HEAD', 'GET'] : [method])).join(', ') });
  ctx.type = 'text/plain; charset=utf-8';
  ctx.body = 'Method Not Allowed\n';
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

import type { Context, Middleware } from 'koa';
import { ANSWERED_BY } from '../../http/koa-adapter.ts';
import { pathBelow } from '../below.ts';
import { allowsDevelopment } from './allows-development.ts';
import type { SignInContext } from './context.ts';
import { pagesOf, type SignInPage } from './pages-by-path.ts';
import { showProblem } from './problem-pages.ts';
import { readForm } from './read-form.ts';
import { isOwnForm, openVisit, replyTo } from './visit.ts';

export interface ServeOptions {
  readonly hosts: 'apart' | 'together';
  readonly clientOf: (ctx: Context) => string;
}

/** Answers the pages of the login host, and leaves every other request alone. */
export function serveSignIn(context: SignInContext, { hosts, clientOf }: ServeOptions): Middleware {
  const pages = new Map<string, Map<string, SignInPage>>();
  for (const page of pagesOf(context)) {
    pages.set(page.path, (pages.get(page.path) ?? new Map<string, SignInPage>()).set(page.method, page));
  }
  return async (ctx, next) => {
    const path = pathBelow(ctx, context.loginUrl, hosts);
    const methods = path === null ? undefined : pages.get(path);
    if (methods === undefined) {
      const meant = path?.endsWith('/') === true ? pages.get(path.slice(0, -1)) : undefined;
      return meant?.has('GET') === true && (ctx.method === 'GET' || ctx.method === 'HEAD') ? moved(ctx) : next();
    }
    if (!allowsDevelopment(context.development, ctx) && [...methods.values()].some(({ development }) => development))
      return next();
    const page = methods.get(ctx.method === 'HEAD' ? 'GET' : ctx.method);
    if (page === undefined) return refuseMethod(ctx, [...methods.keys()]);
    ctx.state[ANSWERED_BY] = page.name;
    await answer(context, ctx, page, clientOf(ctx));
  };
}

/** One address for each page, as on the rest of the site: the one with a slash at its end leads to it. */
function moved(ctx: Context): void {
  ctx.status = 308;
  ctx.set({ Location: `${ctx.path.slice(0, -1)}${ctx.search}`, 'Cache-Control': 'no-store' });
  ctx.body = '';
}

async function answer(context: SignInContext, ctx: Context, page: SignInPage, client: string): Promise<void> {
  // Before anything else: a refused request costs neither a read of its body nor a command to a store.
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
      'Nothing was done. Go back, load the page anew, and send it again. Your browser has to accept cookies of this site.',
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

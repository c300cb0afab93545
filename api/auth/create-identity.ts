import type { ApiContext } from '../context/api-context.ts';
import type { Html } from '../html.ts';
import { serveAuthorizationServer } from './serve-authorization-server.ts';
import { openSignInContext } from './sign-in/context.ts';
import { serveSignIn } from './sign-in/serve-sign-in.ts';

/** Sign-in and the authorization server, as middleware of the api's Koa app. Sign-in pages get the website's `header`. */
export async function createIdentity(ctx: ApiContext, header: Html) {
  const context = await openSignInContext(ctx, header);
  return {
    middleware: [serveAuthorizationServer(context), serveSignIn(context)],
    /** Waits for work that continues after responses. */
    close: () => context.close(),
  };
}

import type { ApiContext } from '../context/api-context.ts';
import { serveAuthorizationServer } from './serve-authorization-server.ts';
import { createSignInContext } from './sign-in/context.ts';
import { serveSignIn } from './sign-in/serve-sign-in.ts';

/** Sign-in and the authorization server, as middleware of the api's Koa app. */
export function createIdentity(ctx: ApiContext) {
  const context = createSignInContext(ctx);
  return {
    middleware: [serveAuthorizationServer(context), serveSignIn(context)],
    /** Waits for work that continues after responses. */
    close: () => context.close(),
  };
}

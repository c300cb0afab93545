import type { ApiContext } from '../context/api-context.ts';
import type { Html } from '../html.ts';
import { endpointOf, serveAuthorizationServer } from './serve-authorization-server.ts';
import { createSignInContext } from './sign-in/context.ts';
import { serveSignIn } from './sign-in/serve-sign-in.ts';

export type Identity = ReturnType<typeof createIdentity>;

/** Sign-in and the authorization server, as middleware of the api's Koa app. Sign-in pages get the website's `header`. */
export function createIdentity(ctx: ApiContext, header: Html) {
  const context = createSignInContext(ctx, header);
  const pages = serveSignIn(context);
  return {
    middleware: [serveAuthorizationServer(context), pages.middleware],
    /** Whether the middleware serves a path of a host. */
    owns: (host: string, path: string): boolean =>
      endpointOf({ host, path }, context) !== null || pages.owns({ host, path }),
    /** Waits for work that continues after responses. */
    close: () => context.close(),
  };
}

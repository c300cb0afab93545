import type { ApiContext } from '../context/api-context.ts';
import type { Html } from '../html.ts';
import { authorizationRoutes } from './authorization-routes.ts';
import { openSignInContext } from './sign-in/context.ts';
import { signInRoutes } from './sign-in/routes.ts';

/** Sign-in and the authorization server. Sign-in pages get the website's `header`. */
export async function createIdentity(ctx: ApiContext, header: Html) {
  const context = await openSignInContext(ctx, header);
  return {
    routes: [...authorizationRoutes(context), ...signInRoutes(context)],
    /** Waits for work that continues after responses. */
    close: () => context.close(),
  };
}

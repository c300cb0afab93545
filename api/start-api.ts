import type { ServiceConfig } from '../config/config.ts';
import { LIMITS } from '../config/limits.ts';
import type { Clock } from '../engine/ranking/index.ts';
import { listenOn } from '../ops/runtime/connections/index.ts';
import type { Lifecycle } from '../ops/runtime/lifecycle.ts';
import { KEY_PREFIX } from '../ops/runtime/queues/index.ts';
import type { Logger } from '../ops/runtime/telemetry/index.ts';
import { createApp } from './app.ts';
import { authorizationRoutes } from './auth/authorization-routes.ts';
import { openSignInContext } from './auth/sign-in/context.ts';
import { signInRoutes } from './auth/sign-in/routes.ts';
import type { ApiConfig } from './context/api-context.ts';
import { openContext } from './context/open-context.ts';
import { closeHttpServer, createHttpServer } from './http/http-server.ts';
import { ownStanding } from './site/pages/own-standing.ts';
import { navigationOf } from './site/pages.ts';
import { createFrame } from './site/render/page-text.ts';

export interface ApiOptions {
  readonly config: ServiceConfig;
  readonly log: Logger;
  readonly lifecycle: Lifecycle;
  readonly clock?: Clock;
  readonly prefix?: string;
  /** How long connections that are idle when the process closes stay open, in milliseconds; tests lower it. */
  readonly idleGraceMs?: number;
  /** Settings that only measurements have. */
  readonly measuring?: Pick<ApiConfig, 'rates'>;
}

/** Opens everything an api process needs and listens; the lifecycle closes what it opened. Returns the port. */
export async function startApi(options: ApiOptions): Promise<{ readonly port: number }> {
  const { log, lifecycle, clock = Date.now, prefix = KEY_PREFIX } = options;
  const { idleGraceMs = LIMITS.shutdown.idleGraceMs } = options;
  const config = { ...options.config, ...options.measuring, redisPrefix: prefix };
  const { ctx, tracing } = await openContext({ config, log, lifecycle, clock });
  const signIn = await openSignInContext(ctx, {
    frameOf: (here) => createFrame(config, navigationOf(config), here),
    standing: (record) => ownStanding(ctx, record),
  });
  lifecycle.onClose('sign-in', () => signIn.close());
  const api = createApp(ctx, [...authorizationRoutes(signIn), ...signInRoutes(signIn)]);
  lifecycle.onClose('api', () => api.close());
  const listener = tracing?.listener(api.listener) ?? api.listener;
  const supervised = createHttpServer(listener, { ...config, metrics: ctx.metrics.http });
  const port = await listenOn(supervised.server, config);
  lifecycle.onClose('http server', () => closeHttpServer(supervised, api, idleGraceMs), LIMITS.shutdown.httpMs);
  return { port };
}

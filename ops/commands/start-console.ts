import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { KoaAdapter } from '@bull-board/koa';
import type { Queue } from 'bullmq';
import Koa, { type Context, type Next } from 'koa';
import { LIMITS } from '../../config/limits.ts';
import { closeServer, createSupervisedHttp, type HttpTimes, listenOn } from '../runtime/connections/index.ts';

const HOST = '127.0.0.1';
const COOKIE_PATH = '/';
const TOKEN_BYTES = 24;

/** Allows no other origins. The console's pages contain inline styles. */
const CONTENT_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'self'";

export interface ConsoleOptions {
  readonly queues: readonly Queue[];
  /** 0: any. */
  readonly port: number;
  /** Whether jobs may be retried, removed and added; read-only otherwise. */
  readonly writable: boolean;
  readonly times?: HttpTimes;
}

/** Serves the queue console on loopback, to requests with its secret. @throws the listener's error, such as EADDRINUSE. */
export async function startConsole({ queues, port, writable, times }: ConsoleOptions) {
  const secret = randomBytes(TOKEN_BYTES).toString('base64url');
  const adapter = new KoaAdapter();
  const shown = queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: !writable }));
  createBullBoard({ queues: shown, serverAdapter: adapter, options: { uiConfig: { boardTitle: 'Upsilon' } } });
  const koa = new Koa();
  koa.silent = true;
  koa.use(guard(secret));
  koa.use(withoutOtherSites);
  koa.use(adapter.setBasePath('').registerPlugin({ mount: '/' }));
  const handle = koa.callback();
  const { server } = createSupervisedHttp((request, response) => void handle(request, response), {
    maxConnections: LIMITS.connections.ofConsole,
    ...(times === undefined ? {} : { times }),
  });
  const bound = await listenOn(server, { host: HOST, port });
  return {
    /** Address with the secret that authenticates a browser. */
    url: `http://${HOST}:${bound}/?secret=${secret}`,
    close: () => closeServer(server),
  };
}

/**
 * Requires the secret: in the URL of the first request, afterwards by a same-site cookie. Browsers send cookies to every port of a host:
 * the name keeps consoles apart, and the value proves the secret for one port and path without revealing it.
 */
function guard(secret: string) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const port = ctx.req.socket.localPort;
    const cookie = `upsilon_console_${port}`;
    const proof = createHmac('sha256', secret).update(`${cookie} ${COOKIE_PATH}`).digest('base64url');
    // Refuses DNS rebinding: a host name of another site that resolves to this address.
    if (![`${HOST}:${port}`, `localhost:${port}`].includes(ctx.host)) return void (ctx.status = 421);
    const given = new URL(ctx.url, 'http://console').searchParams.get('secret');
    if (ctx.method === 'GET' && given !== null && isSame(given, secret)) {
      ctx.cookies.set(cookie, proof, { path: COOKIE_PATH, httpOnly: true, sameSite: 'strict', overwrite: true });
      return ctx.redirect('/');
    }
    if (isSame(ctx.cookies.get(cookie) ?? '', proof)) return next();
    ctx.status = 401;
    ctx.body = 'Open the address that "queues console" printed.\n';
  };
}

/** Removes the link to a style sheet of another site from the console's page, and sets security headers. */
async function withoutOtherSites(ctx: Context, next: Next): Promise<void> {
  await next();
  ctx.set('content-security-policy', CONTENT_POLICY);
  ctx.set('referrer-policy', 'no-referrer');
  ctx.set('cache-control', 'no-store');
  if (typeof ctx.body === 'string') ctx.body = ctx.body.replaceAll(/<link href="https?:[^>]*>/g, '');
}

function isSame(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}

import * as z from 'zod';
import { PATHS } from './paths.ts';
import { readOwner, type Visit } from './visit.ts';

/** The body of `GET {login_url}/api/auth/session`. Without a session, `operator`, `provider` and the times are null. */
export const SessionAnswer = z
  .object({
    authenticated: z.boolean(),
    operator: z.object({ codename: z.string(), display_name: z.string().nullable(), plan: z.string() }).nullable(),
    provider: z.string().nullable(),
    authenticated_at: z.iso.datetime().nullable(),
    expires_at: z.iso.datetime().nullable(),
    login_url: z.url(),
  })
  .meta({ description: 'Whether this browser is signed in, and as whom.' });

/** The answer without a session, but for the address. */
export const SIGNED_OUT = {
  authenticated: false,
  operator: null,
  provider: null,
  authenticated_at: null,
  expires_at: null,
} as const;

export async function answerSession(visit: Visit): Promise<void> {
  const { ctx } = visit;
  const owner = await readOwner(visit);
  const signedIn = owner !== null && {
    authenticated: true,
    operator: {
      codename: owner.record.codename,
      display_name: owner.record.displayName,
      plan: await visit.billing.nameOf(owner.account),
    },
    provider: owner.session.provider,
    authenticated_at: new Date(owner.session.authenticatedAt).toISOString(),
    expires_at: new Date(owner.session.expiresAt).toISOString(),
  };
  ctx.status = 200;
  ctx.set({
    'Cache-Control': 'no-store',
    Vary: 'Cookie',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  });
  ctx.type = 'application/json; charset=utf-8';
  ctx.body = JSON.stringify(
    SessionAnswer.parse({ ...SIGNED_OUT, login_url: `${visit.loginUrl}${PATHS.login}`, ...signedIn }),
  );
}

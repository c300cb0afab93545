import type { Context } from 'koa';
import { DAY_MS } from '../../../config/units.ts';

/** Lifetime of the browser cookie, in milliseconds. Links and OAuth states are valid only in the browser that requested them. */
export const BROWSER_COOKIE_MS = DAY_MS;

const SECRET = /^[A-Za-z0-9_-]{43}$/;

const PROOFS = /^[\w:.-]{1,1024}$/;

/** Over https, names with `__Host-` keep other hosts and plain connections out. Browsers refuse such names over http. */
export function createCookies(loginUrl: string) {
  const secure = loginUrl.startsWith('https:');
  const prefix = secure ? '__Host-' : '';
  const names = {
    session: `${prefix}upsilon-session`,
    browser: `${prefix}upsilon-browser`,
    mail: `${prefix}upsilon-mail`,
  };
  const set = (ctx: Context, name: string, value: string, maxAgeMs: number): void => {
    const attributes = [
      `${name}=${value}`,
      'Path=/',
      `Max-Age=${Math.max(0, Math.floor(maxAgeMs / 1_000))}`,
      'HttpOnly',
      'SameSite=Lax',
      ...(secure ? ['Secure'] : []),
    ];
    ctx.append('Set-Cookie', attributes.join('; '));
  };
  return {
    session: (ctx: Context) => read(ctx, names.session),
    setSession: (ctx: Context, secret: string, lifetimeMs: number) => set(ctx, names.session, secret, lifetimeMs),
    clearSession: (ctx: Context) => set(ctx, names.session, '', 0),
    browser: (ctx: Context) => read(ctx, names.browser),
    setBrowser: (ctx: Context, secret: string) => set(ctx, names.browser, secret, BROWSER_COOKIE_MS),
    /** The mail proofs that the browser sent, unverified. */
    mailProofs: (ctx: Context): readonly string[] => read(ctx, names.mail, PROOFS)?.split('.') ?? [],
    setMailProofs: (ctx: Context, proofs: readonly string[], lifetimeMs: number) =>
      set(ctx, names.mail, proofs.join('.'), lifetimeMs),
  };
}

function read(ctx: Context, name: string, shape = SECRET): string | null {
  const value = ctx.cookies.get(name, { signed: false });
  return value !== undefined && shape.test(value) ? value : null;
}

import type { Context } from 'koa';

/**
 * The path of a request below one of the service's URLs, such as `/login`; null when the request is for another host or path.
 * `hosts` is `apart` when the service's URLs have different hosts.
 */
export function pathBelow(ctx: Context, address: string, hosts: 'apart' | 'together'): string | null {
  const url = new URL(address);
  if (hosts === 'apart' && ctx.host.toLowerCase() !== url.host) return null;
  const prefix = url.pathname.replace(/\/$/, '');
  return ctx.path.startsWith(`${prefix}/`) ? ctx.path.slice(prefix.length) : null;
}

import type { Context } from 'koa';

/** Seconds a browser may remember a preflight. */
const PREFLIGHT_MAX_AGE = 86_400;

const ALLOWED = 'Accept, Content-Type, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id';

const EXPOSED =
  'MCP-Protocol-Version, Retry-After, RateLimit, RateLimit-Policy, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset';

/** What the answer to a preflight adds. */
export const PREFLIGHT: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  'Access-Control-Allow-Headers': ALLOWED,
  'Access-Control-Max-Age': String(PREFLIGHT_MAX_AGE),
};

/** Lets the page of an Origin that passed the guard read the answer. */
export function allowOrigin(ctx: Context, origin: string | undefined): void {
  ctx.vary('Origin');
  if (origin === undefined) return;
  ctx.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED });
}

import type { Context } from 'koa';
import { type DevelopmentAccess, LOOPBACK_HOSTS } from '../../../config/sign-in.ts';

/** Headers by which proxies say what they passed on. */
const PASSED_ON = /^(forwarded|x-forwarded-.*|via)$/;

/**
 * Whether a request may use development sign-in and the outbox. What a proxy or a tunnel on this machine passes on comes
 * from a loopback address as well, so the request itself has to show that it was meant for this machine. HTTP/1.0 is what
 * proxies speak that add no header.
 */
export function allowsDevelopment(access: DevelopmentAccess, { req }: Context): boolean {
  if (access !== 'loopback') return access === 'everybody';
  const { headers, httpVersion } = req;
  const address = `http://${headers.host ?? ''}`;
  const isMeantForHere = URL.canParse(address) && LOOPBACK_HOSTS.has(new URL(address).hostname);
  return isMeantForHere && httpVersion !== '1.0' && !Object.keys(headers).some((name) => PASSED_ON.test(name));
}

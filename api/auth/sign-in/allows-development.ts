import type { Context } from 'koa';
import { type DevelopmentAccess, LOOPBACK_HOSTS } from '../../../config/sign-in.ts';

/** Headers that proxies add to forwarded requests. */
const PROXY_HEADERS =
  /^(forwarded|via|x-forwarded(-.*)?|x-(real|client|cluster-client|original)-.*|true-client-ip|cf-.*|cdn-loop)$/;

/**
 * Whether a request may use development sign-in and the outbox. Requests forwarded by a proxy or a tunnel on this machine
 * also come from a loopback address, so the headers have to show that the request was meant for this machine. Proxies that
 * add no header usually speak HTTP/1.0.
 */
export function allowsDevelopment(access: DevelopmentAccess, { req }: Context): boolean {
  if (access !== 'loopback') return access === 'everybody';
  const { headers, httpVersion } = req;
  const address = `http://${headers.host ?? ''}`;
  const isForThisHost = URL.canParse(address) && LOOPBACK_HOSTS.has(new URL(address).hostname);
  return isForThisHost && httpVersion !== '1.0' && !Object.keys(headers).some((name) => PROXY_HEADERS.test(name));
}

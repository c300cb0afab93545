import { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';

/** The result of checking a request's Host and Origin. */
export type GuardVerdict =
  | { readonly kind: 'pass' }
  /** The request is for the host of another surface, which has no MCP endpoint. */
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'refuse'; readonly message: string };

export interface GuardAddresses {
  readonly siteUrl: string;
  readonly loginUrl: string;
  readonly baseUrl: string;
  readonly authUrl: string;
}

/**
 * Makes the check against DNS rebinding: a page whose host name resolves to this server sends that name as Host and its
 * origin as Origin. Allowed are the configured names and those of localhost. Programs send no Origin.
 */
export function createGuard({ siteUrl, loginUrl, baseUrl, authUrl }: GuardAddresses) {
  const local = localhostAllowedHostnames();
  const hosts = [hostnameOf(siteUrl), ...local];
  const origins = [...hosts, hostnameOf(loginUrl)];
  const elsewhere = [loginUrl, baseUrl, authUrl].map(hostnameOf).filter((hostname) => !hosts.includes(hostname));
  return (host: string | undefined, origin: string | undefined): GuardVerdict => {
    const forHost = validateHostHeader(host, hosts);
    if (!forHost.ok) {
      if (validateHostHeader(host, elsewhere).ok) return { kind: 'elsewhere' };
      return { kind: 'refuse', message: 'The Host header is not a host of this service.' };
    }
    return validateOriginHeader(origin, origins).ok
      ? { kind: 'pass' }
      : { kind: 'refuse', message: 'Pages of this Origin may not use this endpoint.' };
  };
}

function hostnameOf(url: string): string {
  return new URL(url).hostname;
}

import { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';

import type { Addresses } from '../http/hosts.ts';

/**
 * Makes the check against DNS rebinding: a page whose host name resolves to this server sends that name as Host and its
 * origin as Origin. `elsewhere` is the host of another surface, which has no MCP endpoint. Allowed are the configured names and those of localhost. Programs send no Origin.
 */
export function createGuard({ siteUrl, loginUrl, baseUrl, authUrl }: Addresses) {
  const local = localhostAllowedHostnames();
  const hosts = [hostnameOf(siteUrl), ...local];
  const origins = [...hosts, hostnameOf(loginUrl)];
  const elsewhere = [loginUrl, baseUrl, authUrl].map(hostnameOf).filter((hostname) => !hosts.includes(hostname));
  return (
    host: string | undefined,
    origin: string | undefined,
  ): 'pass' | 'elsewhere' | { readonly refused: string } => {
    const forHost = validateHostHeader(host, hosts);
    if (!forHost.ok) {
      if (validateHostHeader(host, elsewhere).ok) return 'elsewhere';
      return { refused: 'The Host header is not a host of this service.' };
    }
    return validateOriginHeader(origin, origins).ok
      ? 'pass'
      : { refused: 'Pages of this Origin may not use this endpoint.' };
  };
}

function hostnameOf(url: string): string {
  return new URL(url).hostname;
}

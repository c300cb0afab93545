import type { Config } from '../../config/config.ts';
import type { Route } from './route.ts';

/** The service's URLs, without a trailing slash. */
export type Addresses = Pick<Config, 'baseUrl' | 'siteUrl' | 'loginUrl' | 'authUrl' | 'issuer'>;

/** The hosts of the service's surfaces. With several hosts, each serves only its own; a single host ignores the Host header. */
export interface Hosts {
  /** The host that alone serves a surface; null when every host does. */
  hostOf(surface: Route<never>['surface']): string | null;
  /** The path of a route on its host. */
  pathOf(route: Pick<Route<never>, 'surface' | 'path'>): string;
  /** The headers that keep browsers to https, by the request's host; none for a host that serves plain http. */
  transportOf(host: string | null | undefined): Readonly<Record<string, string>>;
}

/** Seconds for which a browser that used https uses only https: two years. */
const STRICT_TRANSPORT_SECONDS = 63_072_000;

const STRICT_TRANSPORT = { 'Strict-Transport-Security': `max-age=${STRICT_TRANSPORT_SECONDS}` };

export function createHosts({ baseUrl, siteUrl, loginUrl, authUrl }: Addresses): Hosts {
  const surfaces = {
    base: new URL(baseUrl),
    site: new URL(siteUrl),
    login: new URL(loginUrl),
    auth: new URL(authUrl),
  };
  const urls = Object.values(surfaces);
  const transports = new Map(urls.map(({ host }) => [host, transportFor(urls.filter((url) => url.host === host))]));
  const otherwise = transportFor(urls);
  return {
    hostOf: (surface) => (surface === 'every' || transports.size === 1 ? null : surfaces[surface].host),
    pathOf: ({ surface, path }) =>
      surface === 'every' ? path : `${surfaces[surface].pathname.replace(/\/$/, '')}${path}`,
    transportOf: (host) => transports.get(host?.toLowerCase() ?? '') ?? otherwise,
  };
}

function transportFor(urls: readonly URL[]): Readonly<Record<string, string>> {
  return urls.every(({ protocol }) => protocol === 'https:') ? STRICT_TRANSPORT : {};
}

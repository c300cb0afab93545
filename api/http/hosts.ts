import type { Context } from 'koa';
import type { Config } from '../../config/config.ts';
import type { Route, Surface } from './route.ts';

/** The service's URLs, without a trailing slash, and those of the installation's own documents. */
export type Addresses = Pick<Config, 'baseUrl' | 'siteUrl' | 'loginUrl' | 'authUrl'> &
  Partial<Pick<Config, 'termsUrl' | 'privacyUrl' | 'contact' | 'operatedBy'>>;

/** The hosts of the service's surfaces. With several hosts, each serves only its own; a single host ignores the Host header. */
export type Hosts = ReturnType<typeof createHosts>;

/** Seconds for which a browser that used https uses only https: two years. */
const STRICT_TRANSPORT_SECONDS = 63_072_000;

const STRICT_TRANSPORT = { 'Strict-Transport-Security': `max-age=${STRICT_TRANSPORT_SECONDS}` };

export function createHosts({ baseUrl, siteUrl, loginUrl, authUrl }: Addresses) {
  const surfaces = {
    base: surfaceAt(baseUrl),
    site: surfaceAt(siteUrl),
    login: surfaceAt(loginUrl),
    auth: surfaceAt(authUrl),
  };
  const urls = Object.values(surfaces);
  const transports = new Map(urls.map(({ host }) => [host, transportFor(urls.filter((url) => url.host === host))]));
  const otherwise = transportFor(urls);
  const hostOf = (surface: Route<never>['surface']): string | null =>
    surface === 'every' || transports.size === 1 ? null : surfaces[surface].host;
  const pathOf = ({ surface, path, wellKnown }: Pick<Route<never>, 'surface' | 'path' | 'wellKnown'>): string => {
    if (surface === 'every') return path;
    const { prefix } = surfaces[surface];
    return wellKnown === true ? `${path}${prefix}` : `${prefix}${path}`;
  };
  return {
    /** The host that alone serves a surface; null when every host does. */
    hostOf,
    pathOf,
    /** All hosts, each once. */
    known: [...transports.keys()],
    /** The path of a request below a surface's URL, such as `/login`; null when the request is for another host or path. */
    pathBelow(this: void, surface: Surface, { host, path }: Pick<Context, 'host' | 'path'>): string | null {
      const { prefix, below } = surfaces[surface];
      if (!path.startsWith(below)) return null;
      const own = hostOf(surface);
      return own === null || host.toLowerCase() === own ? path.slice(prefix.length) : null;
    },
    /** The headers that keep browsers to https, by the request's host; none for a host that serves plain http. */
    transportOf: (host: string | null | undefined) => transports.get(host?.toLowerCase() ?? '') ?? otherwise,
  };
}

function surfaceAt(address: string) {
  const { protocol, host, pathname } = new URL(address);
  const prefix = pathname.replace(/\/$/, '');
  return { protocol, host, prefix, below: `${prefix}/` };
}

function transportFor(urls: readonly Pick<URL, 'protocol'>[]): Readonly<Record<string, string>> {
  return urls.every(({ protocol }) => protocol === 'https:') ? STRICT_TRANSPORT : {};
}

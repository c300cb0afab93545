import type { Hosts } from './hosts.ts';
import type { Route } from './route.ts';

/** The routes at one path of a host, by method in upper case; HEAD is GET's. */
export type RoutesAtPath<C> = ReadonlyMap<string, Route<C>>;

/** Finds routes by host and path. Paths are compared as they are sent: case-sensitive, with their escapes and a trailing slash. */
export interface RouteTable<C> {
  /**
   * The routes at a path of the host that a request names; empty when there are none. One map for all paths of a pattern, and one
   * for all unknown paths: refusals are kept by it.
   */
  at(host: string, path: string): RoutesAtPath<C>;
  /** The decoded parameters in a path of the route. A malformed escape stays as it is. */
  params(route: Route<C>, path: string): Readonly<Record<string, string>>;
}

const NOTHING: RoutesAtPath<never> = new Map();

export function createRouteTable<C>(
  routes: readonly Route<C>[],
  { hostOf, pathOf }: Pick<Hosts, 'hostOf' | 'pathOf'>,
): RouteTable<C> {
  const patterns = new Map(routes.map((route) => [route, patternOf(pathOf(route))]));
  const ofHost = (host: string | null) => {
    const byPath = new Map<string, Map<string, Route<C>>>();
    const byPattern = new Map<string, readonly [RegExp, RoutesAtPath<C>]>();
    for (const route of routes) {
      if (![null, host].includes(hostOf(route.surface))) continue;
      const path = pathOf(route);
      const there = byPath.get(path) ?? new Map<string, Route<C>>();
      for (const method of METHODS[route.method]) there.set(method, route);
      byPath.set(path, there);
      const pattern = patterns.get(route);
      if (pattern) byPattern.set(path, [pattern, there]);
    }
    const parts = [...byPattern.values()];
    // Most unknown paths fit no pattern: one expression finds that out in a tenth of the time that all of them take.
    const anyPattern = new RegExp(parts.map(([{ source }]) => source.replaceAll(/\?<\w+>/g, '?:')).join('|'));
    const fitting = (path: string) =>
      anyPattern.test(path) ? parts.find(([pattern]) => pattern.test(path))?.[1] : undefined;
    return { find: (path: string) => byPath.get(path) ?? fitting(path) ?? NOTHING };
  };
  const everywhere = ofHost(null);
  const byHost = new Map(routes.map(({ surface }) => hostOf(surface)).map((host) => [host, ofHost(host)]));
  return {
    at(host, path) {
      return (byHost.get(host.toLowerCase()) ?? everywhere).find(path);
    },
    params(route, path) {
      const groups = patterns.get(route)?.exec(path)?.groups ?? {};
      return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decoded(value)]));
    },
  };
}

/** In the order of the Allow header. */
const METHODS: Readonly<Record<Route<never>['method'], readonly string[]>> = {
  get: ['HEAD', 'GET'],
  post: ['POST'],
  patch: ['PATCH'],
  delete: ['DELETE'],
};

/** Null for a path without `{name}`; a parameter is a segment or a part of one. */
function patternOf(path: string): RegExp | null {
  if (!path.includes('{')) return null;
  const text = path.replace(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return new RegExp(`^${text}$`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

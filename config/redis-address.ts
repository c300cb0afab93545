/** A Redis Cluster, as `REDIS_URL` names it. */
export interface RedisClusterAddress {
  /** Some of its nodes, by which the others are found. */
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  readonly tls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

const SCHEME = /^rediss?\+cluster:/i;
const ADDRESS = /^(rediss?)\+cluster:\/\/(?:([^\s/@:]*)(?::([^\s/@]*))?@)?([^\s/@?#]+)\/?$/i;
const DEFAULT_PORT = 6_379;

/** Whether an address claims to be that of a cluster; `redis://` and `rediss://` name one server each. */
export function isRedisClusterUrl(url: string): boolean {
  return SCHEME.test(url);
}

/**
 * Reads `redis+cluster://user:password@host:port,host:port`, or `rediss+cluster://` for TLS to every node. One address is
 * enough where it leads to all nodes. Null when it is none: a cluster has no numbered databases, and no options here.
 */
export function parseRedisClusterUrl(url: string): RedisClusterAddress | null {
  const [, scheme = '', user = '', secret = '', hosts = ''] = ADDRESS.exec(url) ?? [];
  const nodes = hosts.split(',').map(parseNode);
  const [username, password] = [decoded(user), decoded(secret)];
  if (username === null || password === null || nodes.some((node) => node === null)) return null;
  return {
    nodes: nodes.filter((node) => node !== null),
    tls: scheme.toLowerCase() === 'rediss',
    username: username === '' ? undefined : username,
    password: password === '' ? undefined : password,
  };
}

function parseNode(text: string): { host: string; port: number } | null {
  const address = `redis://${text}`;
  if (text === '' || !URL.canParse(address)) return null;
  const { hostname, port } = new URL(address);
  if (hostname === '') return null;
  // An IPv6 address stands in brackets there, and without them where connections are opened.
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? DEFAULT_PORT : Number(port) };
}

/** Percent-encoded credentials; null when they are not. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

const SCHEME = /^rediss?\+cluster:/i;
const ADDRESS = /^(rediss?)\+cluster:\/\/(?:([^\s/@:]*)(?::([^\s/@]*))?@)?([^\s/@?#]+)\/?$/i;
const DEFAULT_PORT = 6_379;

/** Whether an address has a cluster scheme; `redis://` and `rediss://` are single servers. */
export function isRedisClusterUrl(url: string): boolean {
  return SCHEME.test(url);
}

/**
 * Parses `redis+cluster://user:password@host:port,host:port`, or `rediss+cluster://` for TLS to every node. One seed node is
 * enough. Null for anything else, including a database number (clusters have none) or options.
 */
export function parseRedisClusterUrl(url: string) {
  const [, scheme = '', user = '', secret = '', hosts = ''] = ADDRESS.exec(url) ?? [];
  const nodes = hosts.split(',').map(parseNode);
  const [username, password] = [decodePercent(user), decodePercent(secret)];
  if (username === null || password === null || nodes.some((node) => node === null)) return null;
  return {
    /** Seed nodes, which report the others. */
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
  // `URL` puts IPv6 addresses in brackets; opening a connection takes them without.
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? DEFAULT_PORT : Number(port) };
}

/** Decodes percent-encoding; null when it is malformed. */
function decodePercent(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

import { isIPv4 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../../config/lru-options.ts';
import { parseTrustedProxy, type TrustedProxy } from '../../../config/trusted-proxy.ts';
import { DAY_MS } from '../../../config/units.ts';
import type { NetworkSighting } from '../../../engine/ranking/index.ts';
import { createTrust } from '../../../ops/runtime/connections/index.ts';
import type { ApiContext } from '../../context/api-context.ts';

/** Time after the first sighting until it is recorded, with the others by then. */
const FLUSH_MS = 10_000;

/** Sightings that wait; further ones are recorded with a later submission. */
const MAX_WAITING = 2_000;

/** Operators whose networks of the day are remembered, and networks of each: further ones are not recorded. */
const MAX_OPERATORS = 50_000;
const MAX_NETWORKS = 8;

/** Networks inside of an organisation or a machine, or which a provider shares between customers (100.64.0.0/10, RFC 6598). */
const NOT_PUBLIC = (
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 ' +
  '192.0.0.0/24 192.168.0.0/16 198.18.0.0/15 224.0.0.0/3'
)
  .split(' ')
  .flatMap((network) => parseTrustedProxy(network) ?? []);

/** Addresses of IPv6 that are assigned to networks are in 2000::/3: the first three bits of the first group. */
const [GLOBAL_BITS, GLOBAL] = [0xe000, 0x2000];

export type NetworkRecorder = ReturnType<typeof createNetworkRecorder>;

type RecorderContext = Pick<ApiContext, 'clock'> & {
  readonly config: Pick<ApiContext['config'], 'trustedProxies'>;
  readonly ranking: { readonly operators: Pick<ApiContext['ranking']['operators'], 'recordNetworks'> };
  readonly log: Pick<ApiContext['log'], 'warn'>;
};

/** Creates what records the networks that operators submit from: once a day and process each, in bulk, outside of requests. */
export function createNetworkRecorder({ clock, config, ranking, log }: RecorderContext) {
  const isNetwork = createNetworkTest(config.trustedProxies);
  const known = new LRUCache<number, { readonly day: number; readonly clients: Set<string> }>(atMost(MAX_OPERATORS));
  let waiting: NetworkSighting[] = [];
  let timer: NodeJS.Timeout | null = null;
  let flushing: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    const sightings = waiting.filter(({ client }) => isNetwork(client));
    if (timer !== null) clearTimeout(timer);
    timer = null;
    waiting = [];
    try {
      if (sightings.length > 0) await ranking.operators.recordNetworks(sightings);
    } catch (error) {
      known.clear();
      log.warn({ err: error }, 'networks could not be recorded; later submissions record them');
    }
  }

  return {
    /** Called for each submission that is logged. */
    seen(operator: number, client: string): void {
      const day = Math.floor(clock() / DAY_MS);
      let today = known.get(operator);
      if (today?.day !== day) known.set(operator, (today = { day, clients: new Set() }));
      if (today.clients.size === MAX_NETWORKS || today.clients.has(client) || waiting.length === MAX_WAITING) return;
      today.clients.add(client);
      waiting.push({ operator, client });
      timer ??= setTimeout(() => {
        flushing = flush();
      }, FLUSH_MS).unref();
    },
    /** Records what waits. */
    async drain(): Promise<void> {
      await flushing;
      await flush();
    },
  };
}

/** Whether a client, as the limiter names it, is a network: neither loopback, private or shared addresses, nor a trusted proxy. */
function createNetworkTest(trustedProxies: readonly TrustedProxy[]): (client: string) => boolean {
  const proxies = trustedProxies.map((proxy) =>
    proxy.family === 'ipv6' ? { ...proxy, prefix: Math.min(proxy.prefix, CLIENT_BITS) } : proxy,
  );
  const isExcluded = createTrust([...NOT_PUBLIC, ...proxies]);
  return (client) => {
    const [prefix = '', bits] = client.split('/');
    if (bits === undefined) return isIPv4(prefix) && !isExcluded(prefix);
    return (Number.parseInt(prefix, 16) & GLOBAL_BITS) === GLOBAL && !isExcluded(`${prefix}::`);
  };
}

/** Bits of an IPv6 address that identify a client. */
const CLIENT_BITS = 64;

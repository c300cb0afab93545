import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../ops/local/free-port.ts';
import { guarded } from '../../ops/local/process/guarded.ts';
import { type KillableProcess, startKillable } from '../faults/own-engines.ts';
import { eventually } from './eventually.ts';
import type { RedisProgram } from './redis-program.ts';
import type { TestCertificate } from './test-certificate.ts';

const SLOTS = 16_384;
const PASSWORD = 'sesame';
/** Silence after which nodes take another for dead, in milliseconds. */
const NODE_TIMEOUT_MS = 2_000;

/** A node of a cluster: a process that may be killed. */
export interface ClusterNode {
  readonly process: KillableProcess;
  readonly port: number;
  /** A connection to this node alone. */
  readonly redis: Redis;
}

/** A Redis Cluster on the loopback interface, behind a password. */
export interface RedisCluster {
  /** Value of `REDIS_URL` with two of the nodes. */
  readonly url: string;
  /** The masters that it began with. */
  readonly nodes: readonly ClusterNode[];
  /** One of each master, in the same order, or none. */
  readonly replicas: readonly ClusterNode[];
  /** Resolves when every node reports a complete cluster. */
  whole(): Promise<void>;
  /** Resolves when a node has noticed that slots are without a master. */
  broken(): Promise<void>;
  close(): Promise<void>;
}

export interface ClusterOptions {
  readonly masters: number;
  /** Whether each master has a replica, which takes over when it is gone. Not over TLS. */
  readonly replicated?: boolean;
  /** Nodes accept only TLS, also from each other. */
  readonly certificate?: TestCertificate;
}

/** Starts the nodes, each with a share of the slots, and joins them. */
export async function startRedisCluster(
  { program, env }: RedisProgram,
  { masters, certificate, replicated = false }: ClusterOptions,
): Promise<RedisCluster> {
  const dataDir = await mkdtemp(join(tmpdir(), 'upsilon-cluster-'));
  const ca = certificate === undefined ? undefined : await readFile(certificate.ca);
  const start = async (index: number): Promise<ClusterNode> => {
    const port = await freePort();
    const dir = await mkdtemp(join(dataDir, `node-${index}-`));
    const args = Object.entries(settingsOf(port, dir, certificate)).flatMap(([name, value]) => [`--${name}`, value]);
    args.push('--cluster-port', String(await freePort()));
    // The guard's probe has no password, so it only checks that the port is open.
    const server = { name: `Redis ${index}`, protocol: 'mongodb', port, program, args } as const;
    const process = await startKillable(await guarded(server, { dataDir, cacheDir: dataDir, environment: env }));
    const redis = new Redis({
      port,
      host: '127.0.0.1',
      password: PASSWORD,
      ...(ca === undefined ? {} : { tls: { ca } }),
      retryStrategy: () => 100,
    });
    redis.on('error', () => undefined);
    return { process, port, redis };
  };
  const nodes: ClusterNode[] = [];
  for (let index = 1; index <= masters; index += 1) nodes.push(await start(index));
  const replicas: ClusterNode[] = [];
  if (replicated) for (const index of nodes.keys()) replicas.push(await start(masters + 1 + index));
  const all = [...nodes, ...replicas];
  await shareSlots(nodes);
  await joinNodes(all);
  const scheme = certificate === undefined ? 'redis+cluster' : 'rediss+cluster';
  const cluster: RedisCluster = {
    url: `${scheme}://:${PASSWORD}@${nodes
      .slice(0, 2)
      .map(({ port }) => `127.0.0.1:${port}`)
      .join(',')}`,
    nodes,
    replicas,
    whole: () => whole(all),
    broken: () => broken(all),
    async close() {
      for (const { redis } of all) redis.disconnect();
      await Promise.all(all.map(({ process }) => process.stop()));
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  await cluster.whole();
  await Promise.all(replicas.map((replica, index) => follow(replica, nodes[index]!)));
  return cluster;
}

function settingsOf(port: number, dir: string, certificate: TestCertificate | undefined): Record<string, string> {
  const secure =
    certificate === undefined
      ? { port: String(port) }
      : {
          port: '0',
          'tls-port': String(port),
          'tls-cluster': 'yes',
          'tls-auth-clients': 'no',
          'tls-cert-file': certificate.certificate,
          'tls-key-file': certificate.key,
          'tls-ca-cert-file': certificate.ca,
        };
  return {
    ...secure,
    bind: '127.0.0.1',
    dir,
    requirepass: PASSWORD,
    masterauth: PASSWORD,
    'cluster-enabled': 'yes',
    'cluster-node-timeout': String(NODE_TIMEOUT_MS),
    'repl-diskless-sync-delay': '0',
    save: '',
    appendonly: 'yes',
    'maxmemory-policy': 'noeviction',
  };
}

async function shareSlots(masters: readonly ClusterNode[]): Promise<void> {
  for (const [index, { redis }] of masters.entries()) {
    const [from, to] = [index, index + 1].map((share) => Math.floor((SLOTS * share) / masters.length));
    await redis.call('CLUSTER', 'ADDSLOTSRANGE', from!, to! - 1);
  }
}

/** Sends CLUSTER MEET from the first node to the others. */
async function joinNodes(nodes: readonly ClusterNode[]): Promise<void> {
  const [first] = nodes;
  for (const [index, { redis, port }] of nodes.entries()) {
    await redis.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
    const [, bus = ''] = await redis.config('GET', 'cluster-port');
    if (index > 0) await first!.redis.call('CLUSTER', 'MEET', '127.0.0.1', port, bus);
  }
}

/** Makes a node a master's replica; resolves when it has what the master has. */
async function follow(replica: ClusterNode, master: ClusterNode): Promise<void> {
  await replica.redis.call('CLUSTER', 'REPLICATE', String(await master.redis.call('CLUSTER', 'MYID')));
  const synced = async (): Promise<boolean> => (await replica.redis.info('replication')).includes('link_status:up');
  await eventually('a replica that follows', synced);
}

async function whole(nodes: readonly ClusterNode[]): Promise<void> {
  await eventually('a whole cluster', async () => {
    const states = await Promise.all(nodes.map(({ redis }) => redis.cluster('INFO')));
    return states.every((state) => {
      return state.includes('cluster_state:ok') && state.includes(`cluster_known_nodes:${nodes.length}`);
    });
  });
}

async function broken(nodes: readonly ClusterNode[]): Promise<void> {
  const alive = nodes.filter(({ process }) => process.alive());
  await eventually('a broken cluster', async () => {
    const states = await Promise.all(alive.map(({ redis }) => redis.cluster('INFO')));
    return states.some((state) => state.includes('cluster_state:fail'));
  });
}

import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { z } from 'zod';
import { RATE_POLICIES } from '../../api/http/rate-limit/rate-policy.ts';
import { SHARE_INTERVAL_MS } from '../../api/http/rate-limit/share-counts.ts';
import { openMongo } from '../../engine/mongo/index.ts';
import { startConsole } from '../../ops/commands/start-console.ts';
import { KEY_PREFIX, openQueues, QUEUE_NAMES } from '../../ops/runtime/queues/index.ts';
import { openBlockingRedis } from '../../ops/runtime/stores/index.ts';
import { run } from '../ops/commands/run.ts';
import { freshDatabase } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { expectSteady } from '../support/expect-steady.ts';
import { leaveOut } from '../support/leave-out.ts';
import { runsOf } from '../support/long-run.ts';
import { type ClusterNode, startRedisCluster } from '../support/redis-cluster.ts';
import { findRedis } from '../support/redis-program.ts';
import { startServiceProcesses } from '../support/service-processes.ts';
import { enrolSteadySenders, type SteadyLoad, startSteadyLoad } from '../support/steady-load.ts';
import { useSuiteFolder } from '../support/temporary-folder.ts';
import { findOpenssl, makeCertificate } from '../support/test-certificate.ts';
import { useFixture } from '../support/use-fixture.ts';

const MASTERS = 3;
const SENDERS = runsOf(8, 16);
/** Reads of a client at each of two processes: so many that both share them, and together fewer than the limit. */
const ASKED = RATE_POLICIES.public.quota / 3;

const LISTED = z.object({ queues: z.array(z.object({ queue: z.string(), paused: z.boolean() })) });

const redis = await findRedis();

/** Names of the queues with keys on a node. */
async function queuesAt(node: ClusterNode): Promise<string[]> {
  const keys = await node.redis.keys('*');
  return QUEUE_NAMES.filter((name) => keys.some((key) => key.startsWith(`{${KEY_PREFIX}-${name}}:`)));
}

/** Snapshots whose own response was a final acceptance. */
function acceptedOf(load: SteadyLoad): number {
  return [...load.acknowledged.values()].filter(Boolean).length;
}

/** Reads as a client behind a trusted proxy; returns how much of its quota the process counts as used. */
async function usedAfter(base: string, client: string): Promise<number> {
  const response = await fetch(`${base}/leaderboard`, { headers: { 'x-forwarded-for': client } });
  await response.arrayBuffer();
  const { headers } = response;
  return Number(headers.get('ratelimit-limit')) - Number(headers.get('ratelimit-remaining'));
}

/** Resources to close, in reverse order. */
class Opened {
  readonly #closing: (() => Promise<unknown>)[] = [];

  async keep<T extends { close(): Promise<unknown> }>(opening: Promise<T>): Promise<T> {
    const open = await opening;
    this.#closing.push(() => open.close());
    return open;
  }

  async close(): Promise<void> {
    for (const close of this.#closing.reverse()) await close();
  }
}

describe('the service over a Redis Cluster of three masters that come and go', () => {
  if (redis === null)
    return leaveOut('redis-server', 'there is no redis-server on this machine (.ci/unpack-redis brings one)');
  const program = redis;
  const database = useFixture(freshDatabase);
  const cluster = useFixture(() => startRedisCluster(program, { masters: MASTERS }));
  const service = useFixture(() => {
    const settings = { TRUSTED_PROXIES: '127.0.0.1' };
    return startServiceProcesses({ ...database(), redisUrl: cluster().url, apis: 2, workers: 2, settings });
  });
  const connection = useFixture(() => openMongo(database().mongoUrl));
  const senders = useFixture(() => enrolSteadySenders(connection(), SENDERS, service()));
  const load = useFixture(() => startSteadyLoad(service().bases, senders()));

  /** Waits until this many more snapshots are accepted with a final verdict, which needs queues, workers and their events. */
  async function moreVerdicts(count: number): Promise<void> {
    const before = acceptedOf(load());
    await eventually('verdicts', () => acceptedOf(load()) >= before + count);
  }

  it('processes snapshots, with queues on more than one master', async () => {
    await moreVerdicts(SENDERS * 3);
    const places = await Promise.all(cluster().nodes.map(queuesAt));
    // No re-rank data exists before the first re-rank.
    expect(places.flat().toSorted()).to.include.members(['billing', 'ingest', 'upkeep']);
    expect(places.flat(), 'each queue at one master').to.have.length(new Set(places.flat()).size);
    expect(places.filter((names) => names.length > 0).length).to.be.greaterThan(1);
  });

  it('shares the counts of rate limits between api processes', async () => {
    const [first = '', second = ''] = service().bases;
    let tried = 0;
    await eventually('what another process counted', async () => {
      tried += 1;
      const client = `198.51.100.${tried}`;
      for (let asked = 0; asked < ASKED; asked += 1) {
        for (const base of [first, second]) await usedAfter(base, client);
      }
      await pause(2 * SHARE_INTERVAL_MS);
      return (await usedAfter(second, client)) > ASKED + 1;
    });
  });

  it('re-ranks the whole population in a flow of jobs, by command', async () => {
    JSON.parse(await command('methodology', 'preview', '2', '--json'));
    const places = await Promise.all(cluster().nodes.map(queuesAt));
    expect(places.flat()).to.include('rerank');
  });

  it('executes queue commands, and shows queues in the console', async () => {
    expect(LISTED.parse(JSON.parse(await command('queues', 'list', '--json'))).queues).to.have.length(
      QUEUE_NAMES.length,
    );
    await command('queues', 'pause', 'ingest');
    const { queues } = LISTED.parse(JSON.parse(await command('queues', 'list', '--json')));
    expect(queues.filter(({ paused }) => paused).map(({ queue }) => queue)).to.deep.equal(['ingest']);
    await command('queues', 'resume', 'ingest');
    await moreVerdicts(1);
    expect(await command('jobs', 'failed', '--json')).to.include('"total":0');

    const own = openBlockingRedis(cluster().url, () => undefined);
    const opened = openQueues(own, KEY_PREFIX, () => undefined);
    const console = await startConsole({
      queues: QUEUE_NAMES.map((name) => opened[name]),
      port: 0,
      writable: false,
    });
    const entry = await fetch(console.url, { redirect: 'manual' });
    const cookie = entry.headers.get('set-cookie')?.split(';')[0] ?? '';
    const shown = await fetch(new URL('/api/queues', console.url), { headers: { cookie } });
    expect(shown.status).to.equal(200);
    expect(await shown.text()).to.include('"ingest"');
    await console.close();
    await opened.close();
    own.disconnect();
  });

  for (const queue of ['ingest', 'upkeep'] as const) {
    it(`loses nothing when the master of the queue ${queue} is killed and comes back`, async () => {
      const places = await Promise.all(cluster().nodes.map(queuesAt));
      const node = cluster().nodes[places.findIndex((names) => names.includes(queue))]!;
      await node.process.kill();
      await cluster().broken();
      const acknowledged = load().acknowledged.size;
      await eventually('acknowledgements while it is away', () => load().acknowledged.size > acknowledged + SENDERS);
      await node.process.start();
      await cluster().whole();
      await moreVerdicts(SENDERS);
    });
  }

  it('responded to every request in time, and decided every snapshot once', async () => {
    await load().stop();
    process.stdout.write(`\n  answers ${JSON.stringify(Object.fromEntries(load().answers))}\n\n`);
    expect([...load().answers.keys()]).to.deep.equal(['200']);
    await expectSteady(connection(), service().bases[0]!, load());
  });

  /** Runs an operator command; returns its output. */
  async function command(...args: string[]): Promise<string> {
    const served = { ...database(), redisUrl: cluster().url, prefix: KEY_PREFIX };
    const { status, out, err } = await run(served, args, {}, Date.now());
    expect(status, err).to.equal(0);
    return out;
  }
});

describe('the service over a Redis Cluster of three masters with a replica each', () => {
  if (redis === null)
    return leaveOut('redis-server', 'there is no redis-server on this machine (.ci/unpack-redis brings one)');
  const program = redis;
  const opened = new Opened();

  after(() => opened.close());

  it('continues without intervention when the master of the queue ingest is lost permanently, and loses nothing', async () => {
    const { mongoUrl } = await freshDatabase();
    const cluster = await opened.keep(startRedisCluster(program, { masters: MASTERS, replicated: true }));
    const service = await opened.keep(startServiceProcesses({ mongoUrl, redisUrl: cluster.url, apis: 1, workers: 2 }));
    const connection = await opened.keep(openMongo(mongoUrl));
    const load = startSteadyLoad(service.bases, await enrolSteadySenders(connection, SENDERS, service));
    await eventually('verdicts', () => acceptedOf(load) > SENDERS);

    const places = await Promise.all(cluster.nodes.map(queuesAt));
    const place = places.findIndex((names) => names.includes('ingest'));
    const killed = performance.now();
    await cluster.nodes[place]!.process.kill();
    const before = acceptedOf(load);
    await eventually('verdicts again', () => acceptedOf(load) >= before + SENDERS);
    const tookMs = Math.round(performance.now() - killed);
    expect(await cluster.replicas[place]!.redis.info('replication')).to.include('role:master');
    await load.stop();
    process.stdout.write(
      `\n  ${SENDERS} verdicts ${tookMs} ms after the kill, answers ${JSON.stringify([...load.answers])}\n\n`,
    );
    expect([...load.answers.keys()]).to.deep.equal(['200']);
    await expectSteady(connection, service.bases[0]!, load);
  });
});

const openssl = await findOpenssl();

describe('the service over a Redis Cluster of three masters that speak TLS', () => {
  if (openssl === null) return leaveOut('openssl', 'there is no openssl on this machine');
  if (redis === null)
    return leaveOut('redis-server', 'there is no redis-server on this machine (.ci/unpack-redis brings one)');
  const program = redis;
  const opened = new Opened();
  const folder = useSuiteFolder();

  after(() => opened.close());

  it('verifies certificates, and processes snapshots', async () => {
    const certificate = await makeCertificate(openssl, folder());
    const { mongoUrl } = await freshDatabase();
    const cluster = await opened.keep(startRedisCluster(program, { masters: MASTERS, certificate }));
    expect(cluster.url).to.match(/^rediss\+cluster:/);
    const errors: string[] = [];
    const distrusting = openBlockingRedis(cluster.url, ({ cause, message }) =>
      errors.push(`${message} ${String(cause)}`),
    );
    await eventually('a refusal to trust', () => errors.length > 0);
    expect(distrusting.status).to.not.equal('ready');
    distrusting.disconnect();

    const settings = { NODE_EXTRA_CA_CERTS: certificate.ca };
    const wishes = { mongoUrl, redisUrl: cluster.url, apis: 1, workers: 1, settings };
    const service = await opened.keep(startServiceProcesses(wishes));
    const connection = await opened.keep(openMongo(mongoUrl));
    const load = startSteadyLoad(service.bases, await enrolSteadySenders(connection, SENDERS, service));
    await eventually('verdicts', () => acceptedOf(load) > SENDERS);
    await load.stop();
    await expectSteady(connection, service.bases[0]!, load);
  });
});

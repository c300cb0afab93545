import { connect } from 'node:net';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { processEnvironment } from '../../config/env.ts';
import { MIB } from '../../config/units.ts';
import { type Connection, openMongo } from '../../engine/mongo/index.ts';
import { freePort } from '../../ops/local/free-port.ts';
import { launch, type RunningChild } from '../../ops/local/process/launch.ts';
import { descriptionFor } from '../api/conformance.ts';
import { TEST_SETTINGS } from '../support/api-context.ts';
import { childProgram } from '../support/child-programs.ts';
import { freshDatabase } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { runsOf } from '../support/long-run.ts';
import { enrolOperator, openEngine } from '../support/open-engine.ts';
import { runSeed, type SeededRandom, seededRandom } from '../support/seeded-random.ts';
import { StuckClients } from '../support/stuck-clients.ts';
import { type FuzzedRequest, operationsOf, requestsTo } from './support/request-arbitraries.ts';

/** Rounds of the fuzz that count. */
const ROUNDS = runsOf(3, 40, 'FUZZ_ROUNDS');
/** Rounds before: until code is compiled, caches are full and the heap has its size. */
const WARM_UP_ROUNDS = 3;
const REQUESTS_AN_OPERATION = runsOf(5, 60);
const BROKEN_REQUESTS = 200;
const AT_ONCE = 16;
/** Clients that seem to ask, so that quotas let them: more than one, and not without end. */
const CLIENTS = 5_000;
/** How far the memory of such a process varies after a garbage collection, in bytes. */
const ALLOWANCE_BYTES = 24 * 2 ** 20;
/** Of the broken connections of a round, those whose clients neither read nor close before the test is over. */
const STUCK_CLIENTS = 50;
/** Lets the test collect the heap: garbage that waits for a collection is not what it looks for. */
const COLLECT_ON_SIGNAL = 'data:text/javascript,process.on("SIGUSR2", () => globalThis.gc())';

describe('abuse: memory of an api that is fuzzed', function () {
  this.timeout(1_800_000 + ROUNDS * 20_000);
  const seed = runSeed();
  const random = seededRandom(seed);
  const document = descriptionFor(TEST_SETTINGS);
  const operations = operationsOf(document);
  let connection: Connection;
  let api: RunningChild;
  let origin: string;
  let token: string;
  let metricsPort: number;
  let stuck: StuckClients;

  before(async () => {
    const { mongoUrl, redisUrl } = await freshDatabase();
    const port = await freePort();
    metricsPort = await freePort();
    origin = `http://localhost:${port}`;
    const settings = { PORT: String(port), METRICS_PORT: String(metricsPort), TRUSTED_PROXIES: '127.0.0.1' };
    const env = {
      ...processEnvironment(),
      ...settings,
      MONGODB_URL: mongoUrl,
      REDIS_URL: redisUrl,
      LOG_LEVEL: 'fatal',
    };
    const times = { readyWithinMs: 300_000, stopWithinMs: 60_000 };
    const nodeArgs = ['--expose-gc', '--import', COLLECT_ON_SIGNAL];
    api = await launch({ name: 'api', entry: await childProgram('api'), nodeArgs, env, output: 'kept', ...times });
    stuck = new StuckClients(port);
    connection = await openMongo(mongoUrl);
    const { accounts, ranking } = openEngine(connection);
    const { subject } = await accounts.create({ operator: await enrolOperator(ranking, 'known-reader') });
    const claims = { subject, scope: 'openid profile email', audience: `${origin}/api/v1`, issuer: origin };
    token = await accounts.signingKeys.mintAccessToken({ ...claims, lifetimeSeconds: 86_400 });
  });

  after(async () => {
    stuck?.[Symbol.dispose]();
    await api?.stop();
    await connection?.dropDatabase();
    await connection?.close();
  });

  it(`does not grow (seed ${seed})`, async () => {
    const sizes: number[] = [];
    let sent = 0;
    const before = metric(await scrapeText(), 'process_open_fds');
    for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
      sent += await fuzz(round);
      sizes.push(await collectedBytes());
    }
    const baseline = Math.max(...sizes.slice(0, WARM_UP_ROUNDS));
    const least = Math.min(...sizes.slice(-Math.ceil(ROUNDS / 2)));
    const shown = sizes.map((bytes) => Math.round(bytes / MIB)).join(' ');
    process.stdout.write(
      `\n  resident MiB of the api over ${sent} requests (the first ${WARM_UP_ROUNDS} warm up): ${shown}\n`,
    );
    expect(least, `${shown} MiB`).to.be.below(baseline + ALLOWANCE_BYTES);
    const open = async () => metric(await scrapeText(), 'process_open_fds');
    await eventually('the end of every stuck connection', async () => (await open()) < before + STUCK_CLIENTS);
  });

  /** One round of requests of every kind; returns their number. */
  async function fuzz(round: number): Promise<number> {
    const requests = operations.flatMap((operation) => {
      const kinds = requestsTo(operation, document, operation.base ?? '/api/v1', ['known-reader', 'nobody-here']);
      return fc.sample(kinds, { seed: seed + round, numRuns: REQUESTS_AN_OPERATION });
    });
    // An erased operator would end the run's token.
    const harmless = requests.filter(({ method, path }) => method !== 'DELETE' || !path.includes('/me'));
    const queue = random.shuffled(harmless);
    const send = async (): Promise<void> => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) await sendOne(next);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, send));
    // Requests that arrive while the process is stopped are all there when it resumes, as on an overloaded machine.
    process.kill(api.pid, 'SIGSTOP');
    const broken = Array.from({ length: BROKEN_REQUESTS }, () => sendBroken(new URL(origin), random));
    const opened = stuck.open(STUCK_CLIENTS, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(4_000)}`);
    await opened.finally(() => process.kill(api.pid, 'SIGCONT'));
    await Promise.all(broken);
    return harmless.length + BROKEN_REQUESTS;
  }

  async function scrapeText(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  }

  /** Bytes that the process has of the system after a collection. */
  async function collectedBytes(): Promise<number> {
    const collections = async () => metric(await scrapeText(), 'nodejs_gc_duration_seconds_count{kind="major"}', 0);
    const before = await collections();
    const collect = async (): Promise<boolean> => {
      process.kill(api.pid, 'SIGUSR2');
      return (await collections()) > before;
    };
    await eventually('a collection', collect);
    return metric(await scrapeText(), 'process_resident_memory_bytes');
  }

  async function sendOne({ method, path, token: given, headers, body }: FuzzedRequest): Promise<void> {
    const bearer = given === 'own' ? token : given;
    const client = random.integer(1, CLIENTS);
    const from = { 'x-forwarded-for': `10.0.${client >> 8}.${client & 255}` };
    const authorization: Record<string, string> = given === 'none' ? {} : { authorization: `Bearer ${bearer}` };
    const init = {
      method,
      headers: { ...from, ...authorization, ...headers },
      ...(body === undefined ? {} : { body }),
    };
    const answer = await fetch(`${origin}${path}`, { redirect: 'manual', ...init });
    await answer.arrayBuffer();
  }
});

/** Bytes that begin like a request or like nothing, and a connection that ends in the middle of them. */
function sendBroken({ port }: URL, random: SeededRandom): Promise<void> {
  const beginning = random.pick([
    '',
    'GET / HTTP/1.1\r\nHost: a\r\n',
    'POST /api/v1/snapshots HTTP/1.1\r\nHost: a\r\n',
  ]);
  const rest = Buffer.from(Array.from({ length: random.integer(1, 4_000) }, () => random.integer(0, 255)));
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1' });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve());
    socket.resume();
    socket.write(Buffer.concat([Buffer.from(beginning), rest]), () => {
      if (random.integer(0, 1) === 0) socket.resetAndDestroy();
      else socket.end();
    });
  });
}

/** The value of the first line of a metric whose name and labels begin so; `absent` before the metric has one. */
function metric(text: string, name: string, absent?: number): number {
  const line = text.split('\n').find((one) => one.startsWith(name));
  if (line === undefined && absent !== undefined) return absent;
  if (line === undefined) throw new Error(`the api has no metric ${name}`);
  return Number(line.slice(line.lastIndexOf(' ')));
}

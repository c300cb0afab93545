import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { MICROSECONDS_PER_MS, MS_PER_SECOND } from '../../config/units.ts';
import { openMongo } from '../../engine/mongo/index.ts';
import type { LoadReport } from './client/client-main.ts';
import { startClient } from './client/start-client.ts';
import { againstCommit } from './frame/against.ts';
import { type BenchContext, defineBench, figure } from './frame/bench.ts';
import { withCpuTime } from './frame/cpu-time.ts';
import { alternate, median, medianRatio, sum } from './frame/statistics.ts';
import { openSides, type Side, startOverSubmitters } from './sides/side.ts';

/** Processes whose CPU time is measured: the first two are the service. */
const PROCESSES = ['api', 'worker', 'MongoDB', 'Redis', 'clients'] as const;
const SERVICE = 2;
const WARM_UP_ROUNDS = { full: 2, tiny: 0 } as const;
const VERIFICATIONS = 2_000;

interface Measured {
  readonly report: LoadReport;
  /** CPU microseconds per snapshot, by process. */
  readonly cpu: readonly number[];
  /** CPU microseconds of one bare verification of an Ed25519 signature, measured next to it. */
  readonly verification: number;
}

/** Signed snapshots through the api, accepted end to end. */
export const ingest = defineBench({
  name: 'ingest',
  summary: 'CPU time of a signed snapshot, end to end, against one bare verification of its signature',
  method:
    'Signed snapshots of 2,000 operators through one api and one worker, 512 in flight, each with its final verdict and in the log. ' +
    'CPU time is that of api and worker; the peer is one verification of an Ed25519 signature by `node:crypto` beside each round.',
  options: { operators: [2_000, 40], seconds: [4, 0.2], rounds: [8, 1], connections: [512, 32] },
  async run(context, { operators, seconds, rounds, connections }) {
    const services = await openSides(context, (side) => startService(context, side, operators));
    const verification = createVerification();
    const measure = async ({ client, pids, reports }: (typeof services)[number]): Promise<Measured> => {
      const load = { requests: { from: 0, until: operators }, connections, seconds };
      const { value: report, cpu } = await withCpuTime(pids, () => client.request('load', load));
      reports.push(report);
      const micros = cpu.map((used) => (used * MS_PER_SECOND * MICROSECONDS_PER_MS) / report.sent);
      return { report, cpu: micros, verification: verification() };
    };
    context.progress('submitting');
    await alternate(services, WARM_UP_ROUNDS[context.size], measure);
    const taken = await alternate(services, rounds, measure);
    for (const { mongoUrl, reports } of services) await check(mongoUrl, reports);
    context.table(`Signed snapshots end to end, ${connections} in flight, medians of ${rounds} alternating rounds`, [
      ['tree', 'accepted/s', 'p50 ms', 'p99 ms', ...PROCESSES.map((process) => `${process} CPU us`)],
      ...taken.map((measured, index) => rowOf(context.trees[index]!.name, measured)),
    ]);
    const cpu = taken.map((measured) => measured.map((one) => sum(one.cpu.slice(0, SERVICE))));
    const bare = taken[0]!.map((one) => one.verification);
    const name = 'CPU time of a snapshot, api and worker';
    const compared = { ratio: medianRatio(cpu[0]!, bare), peer: 'of one Ed25519 verification', atMost: 8 };
    return [
      figure(name, median(cpu[0]!), 'us', compared),
      ...againstCommit(context, name, 'us', cpu, { atMost: 1.25 }),
    ];
  },
});

/** Starts a worker and an api of a tree over operators who can submit, and their clients. */
async function startService(context: BenchContext, side: Side, operators: number) {
  const { mongoUrl, env, submitters, worker } = await startOverSubmitters(context, side, operators);
  const api = await side.startUnlimitedApi(env);
  const client = await startClient(context, api.port, submitters);
  const pids = [api.pid, worker.pid, side.pids.mongo, side.pids.redis, client.pid];
  return { mongoUrl, client, pids, reports: new Array<LoadReport>() };
}

/** Creates the function that returns the CPU microseconds of one verification of a signature. */
function createVerification(): () => number {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = createPublicKey({ key: publicKey.export({ format: 'jwk' }), format: 'jwk' });
  const signed = Buffer.alloc(300, 'upsilon');
  const signature = sign(null, signed, privateKey);
  return () => {
    const before = process.cpuUsage();
    for (let time = 0; time < VERIFICATIONS; time++) verify(null, signed, key, signature);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / VERIFICATIONS;
  };
}

/** Compares the responses with the database: each submission was accepted, and is in the log. */
async function check(mongoUrl: string, reports: readonly LoadReport[]): Promise<void> {
  const connection = await openMongo(mongoUrl);
  const logged = await connection.collection('snapshots').countDocuments();
  await connection.close();
  const total = (of: 'sent' | 'expected' | 'pending'): number => sum(reports.map((report) => report[of]));
  const [sent, accepted, pending] = [total('sent'), total('expected'), total('pending')];
  if (logged === sent && accepted + pending === sent) return;
  const odd = reports.flatMap(({ oddResponses }) => oddResponses).slice(0, 3);
  throw new Error(`responses and log differ: ${JSON.stringify({ sent, accepted, pending, logged, odd })}`);
}

function rowOf(name: string, measured: readonly Measured[]): readonly string[] {
  const value = (of: (one: Measured) => number): number => median(measured.map(of));
  return [
    name,
    value(({ report }) => report.expected / report.seconds).toFixed(0),
    value(({ report }) => report.latencies.p50).toFixed(0),
    value(({ report }) => report.latencies.p99).toFixed(0),
    ...PROCESSES.map((_, process) => value(({ cpu }) => cpu[process]!).toFixed(1)),
  ];
}

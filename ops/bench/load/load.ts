import type { Bench, BenchContext, BenchResult } from '../frame/bench.ts';
import { startProduct } from '../frame/service/start-service.ts';
import { loadOperators } from '../ingest/load-operators.ts';
import { chooseSite } from '../ingest/service.ts';
import { loadFigures, type Phase, VERDICT_P99_MS } from './load-figures.ts';
import type { LoadReport } from './load-tasks.ts';
import { probeBoard } from './probe-board.ts';
import { type LoadClient, runLoad, startLoadClient } from './start-load-client.ts';
import { watchService } from './watch-service.ts';

const HALF = 0.5;
const HELD_SHARE = 0.8;
const SPIKE = 5;
/** A spike uses more connections and does not wait for verdicts: only the service limits it. */
const SPIKE_CONNECTIONS = 4;
const SPIKING_SHARE = 0.1;
const RECOVERY_PROBE_S = 1;

/** An open-loop load: latency at half the limit, 80 % of it held, and a spike of five times the limit. */
export const load: Bench = {
  name: 'load',
  summary: 'latency at half the sustained limit, four fifths of it held, and a spike of five times it',
  run,
};

async function run(context: BenchContext): Promise<BenchResult> {
  const count = context.option('operators', { full: 2_000, tiny: 40 });
  const seconds = context.option('seconds', { full: 20, tiny: 1 });
  const hold = context.option('hold', { full: 120, tiny: 1 });
  const spike = context.option('spike', { full: 10, tiny: 1 });
  const recoveryAtMost = context.option('recovery', { full: 60, tiny: 1 });
  const connections = context.option('connections', { full: 512, tiny: 32 });
  const engines = await context.engines();
  const site = await chooseSite(context);
  context.progress(`loading ${count} operators`);
  const operators = await loadOperators(engines.mongoUrl, site.baseUrl, count + 1);
  const client = await startLoadClient(context, operators.slice(1), site.baseUrl);
  // As `npm start` runs them, with production quotas.
  const env = { ...site.env, TRUSTED_PROXIES: '127.0.0.1' };
  const worker = await startProduct(context, 'worker', env);
  const api = await startProduct(context, 'api', env);
  // A tenth of the operators cause the spike and exhaust their quotas; the others submit in the other phases.
  const quiet = { from: 0, until: count - Math.ceil(count * SPIKING_SHARE) };
  const spiking = { from: quiet.until, until: count };
  const pids = { api: api.pid, worker: worker.pid };
  const phases: Phase[] = [];
  const phase = async (name: string, asked: number, play: (by: LoadClient) => Promise<LoadReport>) => {
    context.progress(name);
    const { value, watched } = await watchService(pids, site.metricsUrl, () => play(client));
    const played = { name, asked, report: value, watched };
    phases.push(played);
    return played;
  };

  const saturate = (forSeconds: number) => (by: LoadClient) =>
    runLoad(by, { perSecond: null, seconds: forSeconds, connections, among: quiet });
  await phase('warming up', 0, saturate(seconds / 2));
  const { report: saturated } = await phase('finding the limit', 0, saturate(seconds));
  const limit = saturated.accepted / saturated.seconds;
  const probing = new AbortController();
  const probe = probeBoard(site.baseUrl, operators[0]!, probing.signal);
  const paced = (share: number, forSeconds: number) => (by: LoadClient) =>
    runLoad(by, { perSecond: limit * share, seconds: forSeconds, connections, among: quiet });
  const spikes = (by: LoadClient) => {
    const most = connections * SPIKE_CONNECTIONS;
    return runLoad(by, { perSecond: limit * SPIKE, seconds: spike, connections: most, async: true, among: spiking });
  };
  const half = await phase('half the limit', limit * HALF, paced(HALF, seconds));
  probing.abort();
  const shown = await probe;
  const held = await phase('four fifths of it, held', limit * HELD_SHARE, paced(HELD_SHARE, hold));
  const spiked = await phase('five times it', limit * SPIKE, spikes);
  const recoverySeconds = await recovery(() => paced(HALF, RECOVERY_PROBE_S)(client), recoveryAtMost);
  await phase('half of it again', limit * HALF, paced(HALF, seconds));
  printPhases(context, phases);
  const odd = phases.flatMap(({ report }) => report.oddResponses);
  if (odd.length > 0) throw new Error(`unexpected responses to submissions: ${odd.join(' | ')}`);
  const figures = loadFigures({ limit, half, held, spike: spiked, shown, recoverySeconds });
  return { ...figures[0]!, name: 'load', figures, details: { limit, shown: shown.length, recoverySeconds, phases } };
}

/** Seconds until submissions at half the limit get their verdicts in time again, at most about `atMost`. */
async function recovery(second: () => Promise<LoadReport>, atMost: number): Promise<number> {
  const started = performance.now();
  for (;;) {
    const { latencies, pending, shed } = await second();
    const seconds = (performance.now() - started) / 1_000;
    const inTime = latencies.p99 <= VERDICT_P99_MS && pending === 0 && shed === 0;
    if (inTime || seconds > atMost) return seconds;
  }
}

function ms(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0);
}

function printPhases(context: BenchContext, phases: readonly Phase[]): void {
  const rows = phases.map(({ name, asked, report, watched: { memory, queue } }) => [
    name,
    asked === 0 ? 'all' : asked.toFixed(0),
    ((report.accepted + report.pending) / report.seconds).toFixed(0),
    String(report.pending),
    String(report.shed),
    String(report.odd),
    ms(report.latencies.p50),
    ms(report.latencies.p99),
    ms(report.latencies.p999),
    `${queue.most}`,
    ...Object.values(memory).map(({ early, late, most }) => `${early}/${late}/${most}`),
  ]);
  const head = ['phase', 'asked/s', 'answered/s', 'pending', '429', 'odd', 'p50 ms', 'p99 ms', 'p99.9 ms', 'queue'];
  context.table('Open loop: milliseconds from when a submission was due; memory in MiB: early/late/most', [
    [...head, 'api', 'worker'],
    ...rows,
  ]);
}

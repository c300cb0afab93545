import type { Bench, BenchContext, BenchResult } from '../frame/bench.ts';
import { withCpuTime } from '../frame/cpu-time.ts';
import { serviceSite, startProduct } from '../frame/service/start-service.ts';
import type { LoadReport, LoadShape } from '../ingest/client-main.ts';
import { loadOperators, startClients } from '../ingest/load-operators.ts';
import { loadFigures, type Phase, VERDICT_P99_MS } from './load-figures.ts';
import { probeBoard } from './probe-board.ts';
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
  const {
    operators: count,
    seconds,
    hold,
    spike,
    recovery: recoveryAtMost,
    connections,
  } = context.options({
    operators: [2_000, 40],
    seconds: [20, 1],
    hold: [120, 1],
    spike: [10, 1],
    recovery: [60, 1],
    connections: [512, 32],
  });
  const { mongoUrl, pids: engines } = await context.engines();
  const site = await serviceSite(context);
  context.progress(`loading ${count} operators`);
  const operators = await loadOperators(mongoUrl, site.baseUrl, count + 1);
  const client = await startClients(context, operators.slice(1), site.baseUrl);
  // As `npm start` runs them, with production quotas.
  const env = { ...site.env, TRUSTED_PROXIES: '127.0.0.1' };
  const worker = await startProduct(context, 'worker', env);
  const api = await startProduct(context, 'api', env);
  // A tenth of the operators cause the spike and exhaust their quotas; the others submit in the other phases.
  const quiet = { from: 0, until: count - Math.ceil(count * SPIKING_SHARE) };
  const spiking = { from: quiet.until, until: count };
  const pids = { api: api.pid, worker: worker.pid };
  const play = async (perSecond: number | null, forSeconds: number, more: Partial<LoadShape> = {}) => {
    await client.request('begin', { perSecond, seconds: forSeconds, connections, among: quiet, ...more });
    return client.request('end', undefined);
  };
  const phases: Phase[] = [];
  const phase = async (name: string, perSecond: number | null, forSeconds: number, more?: Partial<LoadShape>) => {
    context.progress(name);
    const all = { client: client.pid, ...pids, ...engines };
    const { value: watch, cpu } = await withCpuTime(all, () =>
      watchService(pids, site.metricsUrl, () => play(perSecond, forSeconds, more)),
    );
    const played = { name, asked: perSecond ?? 0, report: watch.value, watched: watch.watched, cpu };
    phases.push(played);
    return played;
  };

  await phase('warming up', null, seconds / 2);
  const { report: saturated } = await phase('finding the limit', null, seconds);
  const limit = saturated.accepted / saturated.seconds;
  const probing = new AbortController();
  const probe = probeBoard(site.baseUrl, operators[0]!, probing.signal);
  const half = await phase('half the limit', limit * HALF, seconds);
  probing.abort();
  const shown = await probe;
  const held = await phase('four fifths of it, held', limit * HELD_SHARE, hold);
  const flood = { connections: connections * SPIKE_CONNECTIONS, async: true, among: spiking };
  const spiked = await phase('five times it', limit * SPIKE, spike, flood);
  const recoverySeconds = await recovery(() => play(limit * HALF, RECOVERY_PROBE_S), recoveryAtMost);
  await phase('half of it again', limit * HALF, seconds);
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

import type { Bench, BenchContext, BenchResult, Figure } from '../bench.ts';
import { quantile, threeDigits } from '../frame/statistics.ts';
import { loadOperators } from '../ingest/load-operators.ts';
import { chooseSite, startService } from '../ingest/service.ts';
import type { LoadReport } from './load-tasks.ts';
import { probeBoard } from './probe-board.ts';
import { type LoadClient, startLoadClient } from './start-load-client.ts';
import { type Watched, watchService } from './watch-service.ts';

/** What the wait for a verdict and the way to the board may take, in milliseconds. */
const VERDICT_P99_MS = 250;
const BOARD_P99_MS = 1_500;
const HALF = 0.5;
const HELD_SHARE = 0.8;
const SPIKE = 5;
/** What memory may grow by while a load is held: caches that fill are no leak. */
const GROWTH_AT_MOST = 1.25;

/** An open-loop load: latency at half the limit, 80 % of it held, and a spike of five times the limit. */
export const load: Bench = {
  name: 'load',
  summary: 'latency at half the sustained limit, four fifths of it held, and a spike of five times it',
  run,
};

interface Phase {
  readonly name: string;
  readonly asked: number;
  readonly report: LoadReport;
  readonly watched: Watched;
}

async function run(context: BenchContext): Promise<BenchResult> {
  const count = context.option('operators', { full: 2_000, tiny: 40 });
  const seconds = context.option('seconds', { full: 20, tiny: 2 });
  const hold = context.option('hold', { full: 120, tiny: 2 });
  const spike = context.option('spike', { full: 5, tiny: 1 });
  const connections = context.option('connections', { full: 512, tiny: 32 });
  const engines = await context.engines();
  const site = await chooseSite(context);
  context.say(`loading ${count} operators`);
  const operators = await loadOperators(engines.mongoUrl, site.baseUrl, count + 1);
  const client = await startLoadClient(context, operators.slice(1), site.baseUrl);
  const worker = await startService(context, 'worker', site);
  const api = await startService(context, 'api', site);
  const pids = { api: api.pid, worker: worker.pid };
  const phases: Phase[] = [];
  const phase = async (name: string, asked: number, play: (by: LoadClient) => Promise<LoadReport>) => {
    context.say(name);
    const { value, watched } = await watchService(pids, site.metricsUrl, () => play(client));
    phases.push({ name, asked, report: value, watched });
    return value;
  };

  await phase('warming up', 0, (by) => by.run({ kind: 'saturate', seconds: seconds / 2, connections }));
  const saturated = await phase('finding the limit', 0, (by) => by.run({ kind: 'saturate', seconds, connections }));
  const limit = saturated.accepted / saturated.seconds;
  const probing = new AbortController();
  const probe = probeBoard(site.baseUrl, operators[0]!, probing.signal);
  const paced = (share: number, forSeconds: number, most = connections) => {
    return (by: LoadClient) =>
      by.run({ kind: 'paced', perSecond: limit * share, seconds: forSeconds, connections: most });
  };
  const half = await phase('half the limit', limit * HALF, paced(HALF, seconds));
  probing.abort();
  const shown = await probe;
  await phase('four fifths of it, held', limit * HELD_SHARE, paced(HELD_SHARE, hold));
  await phase('five times it', limit * SPIKE, paced(SPIKE, spike, connections * 4));
  await phase('half of it again', limit * HALF, paced(HALF, seconds));
  tell(context, phases);
  return resultOf({ limit, half, shown, phases });
}

function ms(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0);
}

function tell(context: BenchContext, phases: readonly Phase[]): void {
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
    ...Object.values(memory).map(({ first, last, most }) => `${first}/${last}/${most}`),
  ]);
  const head = ['phase', 'asked/s', 'answered/s', 'pending', '429', 'odd', 'p50 ms', 'p99 ms', 'p99.9 ms', 'queue'];
  context.table('Open loop: milliseconds from when a submission was due; memory in MiB: first/last/most', [
    [...head, 'api', 'worker'],
    ...rows,
  ]);
}

/** A figure that is to stay below a limit. */
function atMost(name: string, value: number, unit: string, most: number, against: string): Figure {
  return { name, value: threeDigits(value), unit, ratio: threeDigits(value / most), against, target: { atMost: 1 } };
}

function resultOf({
  limit,
  half,
  shown,
  phases,
}: {
  readonly limit: number;
  readonly half: LoadReport;
  readonly shown: readonly number[];
  readonly phases: readonly Phase[];
}): BenchResult {
  const odd = phases.flatMap(({ report }) => report.oddAnswers);
  if (odd.length > 0) throw new Error(`submissions were answered oddly: ${odd.join(' | ')}`);
  const held = phases.find(({ name }) => name.startsWith('four fifths'));
  const after = phases.at(-1);
  if (held === undefined || after === undefined) throw new Error('a phase is missing');
  const growth = Object.values(held.watched.memory).map(({ first, last }) => last / first);
  const figures = [
    atMost('verdict p99 at half the limit', half.latencies.p99, 'ms', VERDICT_P99_MS, `${VERDICT_P99_MS} ms`),
    atMost('on the board p99 at half the limit', quantile(shown, 0.99), 'ms', BOARD_P99_MS, `${BOARD_P99_MS} ms`),
    atMost('memory at the end of the held load', Math.max(...growth), 'times', GROWTH_AT_MOST, 'memory at its start'),
    atMost('p99 after the spike', after.report.latencies.p99, 'ms', VERDICT_P99_MS, `${VERDICT_P99_MS} ms`),
  ];
  return { ...figures[0]!, name: 'load', figures, details: { limit: Math.round(limit), shown: shown.length, phases } };
}

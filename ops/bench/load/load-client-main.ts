import { readFileSync } from 'node:fs';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { MICROSECONDS_PER_MS } from '../../../config/units.ts';
import type { BenchOperator } from '../ingest/bench-operator.ts';
import { LoadConnection } from '../ingest/load-connection.ts';
import { RequestMaker } from '../ingest/signed-requests.ts';
import type { LoadReport, LoadTask, PacedTask, SaturateTask } from './load-tasks.ts';

/**
 * The clients of the load bench in a separate process: `load-client-main.ts OPERATORS_FILE BASE_URL`. Every submission
 * is signed when it is sent. A paced load is an open loop: a submission that is due while the service is slow waits, and its
 * latency counts from when it was due, so that a stall affects every submission that it delays.
 */
const [, , operatorsFile = '', baseUrl = ''] = process.argv;
const operators: readonly BenchOperator[] = JSON.parse(readFileSync(operatorsFile, 'utf8'));
const maker = new RequestMaker(baseUrl);
const { hostname, port } = new URL(baseUrl);
let made = 0;

const MAX_SHOWN_RESPONSES = 5;
const WORST_US = 10 * 60 * 1_000_000;

type Counts = { -readonly [name in 'sent' | 'accepted' | 'pending' | 'shed' | 'odd']: number };

interface Tally extends Counts {
  readonly oddResponses: string[];
  /** Microseconds. */
  readonly histogram: RecordableHistogram;
}

process.on('disconnect', () => process.exit(0));
process.on('message', (task: LoadTask) => void run(task).then((report) => process.send?.(report)));
process.send?.({ type: 'ready' });

async function run(task: LoadTask): Promise<LoadReport> {
  const connections = await Promise.all(
    Array.from({ length: task.connections }, () => LoadConnection.open(hostname, Number(port))),
  );
  const histogram = createHistogram({ lowest: 1, highest: WORST_US, figures: 3 });
  const tally: Tally = { sent: 0, accepted: 0, pending: 0, shed: 0, odd: 0, oddResponses: [], histogram };
  const started = performance.now();
  if (task.kind === 'saturate') await saturate(connections, task, tally);
  else await keepPace(connections, task, tally);
  const seconds = (performance.now() - started) / 1_000;
  for (const connection of connections) connection.close();
  const at = (percentile: number): number => histogram.percentile(percentile) / MICROSECONDS_PER_MS;
  const latencies = {
    p50: at(50),
    p90: at(90),
    p99: at(99),
    p999: at(99.9),
    worst: histogram.max / MICROSECONDS_PER_MS,
  };
  const { histogram: _, ...counts } = tally;
  return { ...counts, seconds, latencies };
}

async function saturate(connections: readonly LoadConnection[], task: SaturateTask, tally: Tally): Promise<void> {
  const until = performance.now() + task.seconds * 1_000;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < until) await submit(connection, performance.now(), task, tally);
    }),
  );
}

/** Each connection takes the next submission and waits until it is due; when all are busy, due submissions wait. */
async function keepPace(connections: readonly LoadConnection[], task: PacedTask, tally: Tally): Promise<void> {
  const { perSecond, seconds } = task;
  const total = Math.round(perSecond * seconds);
  const started = performance.now();
  let taken = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (taken < total) {
        const dueAt = started + (taken++ * 1_000) / perSecond;
        const early = dueAt - performance.now();
        if (early > 0) await pause(early);
        await submit(connection, dueAt, task, tally);
      }
    }),
  );
}

/** End of the request line; headers follow. */
const REQUEST_LINE_END = Buffer.from('\r\n');
const RESPOND_ASYNC = Buffer.from('\r\nPrefer: respond-async\r\n');

function withRespondAsync(request: Buffer): Buffer {
  const at = request.indexOf(REQUEST_LINE_END);
  return Buffer.concat([request.subarray(0, at), RESPOND_ASYNC, request.subarray(at + REQUEST_LINE_END.length)]);
}

async function submit(connection: LoadConnection, dueAt: number, task: LoadTask, tally: Tally): Promise<void> {
  tally.sent++;
  const { from, until } = task.among;
  const { bytes } = maker.next(operators[from + (made++ % (until - from))]!);
  const async = task.kind === 'paced' && task.async;
  const { status, head, body } = await connection.exchange(async ? withRespondAsync(bytes) : bytes);
  const polite = /\r\nretry-after: \d+/i.test(head) && /\r\ncontent-type: application\/problem\+json/i.test(head);
  if (status === 429 && polite) {
    tally.shed++;
    return;
  }
  const isFinal = status === 200 && body.includes('"accepted":true') && body.includes('"verdict":"final"');
  const isPending = status === 200 && body.includes('"verdict":"pending"');
  if (isFinal) tally.accepted++;
  else if (isPending) tally.pending++;
  else {
    tally.odd++;
    if (tally.oddResponses.length < MAX_SHOWN_RESPONSES) tally.oddResponses.push(`${status} ${body}`);
    return;
  }
  tally.histogram.record(Math.max(1, Math.round((performance.now() - dueAt) * MICROSECONDS_PER_MS)));
}

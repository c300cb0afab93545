import { readFileSync } from 'node:fs';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { MICROSECONDS_PER_MS } from '../../../config/units.ts';
import { serveTasks } from '../frame/task-process.ts';
import type { BenchOperator } from '../ingest/bench-operator.ts';
import { LoadConnection } from '../ingest/load-connection.ts';
import { RequestMaker } from '../ingest/signed-requests.ts';
import type { LoadReport, LoadShape } from './load-tasks.ts';

/**
 * Clients that submit snapshots in a separate process: `load-client-main.ts OPERATORS_FILE BASE_URL`. Every submission is
 * signed when it is sent. A load with a rate is an open loop: a submission that is due while the service is slow waits, and
 * its latency counts from when it was due, so that a stall affects every submission that it delays.
 */
const [, , operatorsFile = '', baseUrl = ''] = process.argv;
const operators: readonly BenchOperator[] = JSON.parse(readFileSync(operatorsFile, 'utf8'));
const maker = new RequestMaker(baseUrl);
const { hostname, port } = new URL(baseUrl);
let made = 0;

const MAX_SHOWN_RESPONSES = 5;
const WORST_US = 10 * 60 * 1_000_000;

let tally = newTally();
let ending = new AbortController();
let running: Promise<unknown> = Promise.resolve();

const tasks = {
  begin(load: LoadShape): void {
    ending = new AbortController();
    running = play(load, ending.signal);
    running.catch((error: unknown) => {
      process.stderr.write(`the clients ended: ${String(error)}\n`);
      process.exit(1);
    });
  },
  /** Reports the submissions that were due since the last report, or since the load began. */
  async take(): Promise<LoadReport> {
    const taken = tally;
    tally = newTally();
    return reportOf(taken);
  },
  /** Waits for the end of the load, which it stops when it has no time, and reports the rest. */
  async end(): Promise<LoadReport> {
    ending.abort();
    await running;
    return tasks.take();
  },
};

export type LoadTasks = typeof tasks;
serveTasks(tasks);

function newTally() {
  /** Microseconds. */
  const histogram = createHistogram({ lowest: 1, highest: WORST_US, figures: 3 });
  const oddResponses: string[] = [];
  return { since: performance.now(), sent: 0, accepted: 0, pending: 0, shed: 0, odd: 0, oddResponses, histogram };
}

function reportOf({ since, histogram, ...counts }: typeof tally): LoadReport {
  const seconds = (performance.now() - since) / 1_000;
  const at = (percentile: number): number => histogram.percentile(percentile) / MICROSECONDS_PER_MS;
  const worst = histogram.max / MICROSECONDS_PER_MS;
  return { ...counts, seconds, latencies: { p50: at(50), p90: at(90), p99: at(99), p999: at(99.9), worst } };
}

/** A load with a time runs to its end; one without ends with `signal`. */
async function play(load: LoadShape, signal: AbortSignal): Promise<void> {
  const connections = await Promise.all(
    Array.from({ length: load.connections }, () => LoadConnection.open(hostname, Number(port))),
  );
  tally = newTally();
  await (load.perSecond === null ? saturate(connections, load) : keepPace(connections, load, load.perSecond, signal));
  for (const connection of connections) connection.close();
}

async function saturate(connections: readonly LoadConnection[], load: LoadShape): Promise<void> {
  const until = performance.now() + (load.seconds ?? 0) * 1_000;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < until) await submit(connection, performance.now(), load);
    }),
  );
}

/** Each connection takes the next submission and waits until it is due; when all are busy, due submissions wait. */
async function keepPace(
  connections: readonly LoadConnection[],
  load: LoadShape,
  perSecond: number,
  signal: AbortSignal,
): Promise<void> {
  const total = load.seconds === null ? null : Math.round(perSecond * load.seconds);
  const started = performance.now();
  let taken = 0;
  await Promise.all(
    connections.map(async (connection) => {
      while (total === null ? !signal.aborted : taken < total) {
        const dueAt = started + (taken++ * 1_000) / perSecond;
        const early = dueAt - performance.now();
        if (early > 0) await pause(early);
        await submit(connection, dueAt, load);
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

async function submit(connection: LoadConnection, dueAt: number, { among, async }: LoadShape): Promise<void> {
  // A submission counts in the period in which it was due, even when its response is late.
  const counted = tally;
  counted.sent++;
  const { from, until } = among ?? { from: 0, until: operators.length };
  const { bytes } = maker.next(operators[from + (made++ % (until - from))]!);
  const { status, head, body } = await connection.exchange(async === true ? withRespondAsync(bytes) : bytes);
  const polite = /\r\nretry-after: \d+/i.test(head) && /\r\ncontent-type: application\/problem\+json/i.test(head);
  if (status === 429 && polite) {
    counted.shed++;
    return;
  }
  const isFinal = status === 200 && body.includes('"accepted":true') && body.includes('"verdict":"final"');
  const isPending = status === 200 && body.includes('"verdict":"pending"');
  if (isFinal) counted.accepted++;
  else if (isPending) counted.pending++;
  else {
    counted.odd++;
    if (counted.oddResponses.length < MAX_SHOWN_RESPONSES) counted.oddResponses.push(`${status} ${body}`);
    return;
  }
  counted.histogram.record(Math.max(1, Math.round((performance.now() - dueAt) * MICROSECONDS_PER_MS)));
}

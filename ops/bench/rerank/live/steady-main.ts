import { readFileSync } from 'node:fs';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { MICROSECONDS_PER_MS } from '../../../../config/units.ts';
import type { BenchOperator } from '../../ingest/bench-operator.ts';
import { LoadConnection } from '../../ingest/load-connection.ts';
import { RequestMaker } from '../../ingest/signed-requests.ts';
import type { SteadyCommand, SteadyReport } from './steady-messages.ts';

/**
 * Clients at a steady rate in a separate process: `steady-main.ts OPERATORS_FILE BASE_URL`. An open loop: submissions that
 * are due while the service is slow wait for a connection, and their wait counts.
 */
const [, , operatorsFile = '', baseUrl = ''] = process.argv;
const operators: readonly BenchOperator[] = JSON.parse(readFileSync(operatorsFile, 'utf8'));
const maker = new RequestMaker(baseUrl);
const { hostname, port } = new URL(baseUrl);

const WORST_US = 10 * 60 * 1_000_000;
const MAX_SHOWN_RESPONSES = 5;

interface Tally {
  readonly since: number;
  sent: number;
  accepted: number;
  pending: number;
  shed: number;
  readonly odd: string[];
  readonly histogram: RecordableHistogram;
}

let tally = newTally();
const ending = new AbortController();
let running: Promise<unknown> = Promise.resolve();

process.on('disconnect', () => process.exit(0));
process.on('message', (command: SteadyCommand) => void run(command));
process.send?.({ kind: 'ready' });

async function run(command: SteadyCommand): Promise<void> {
  if (command.kind === 'begin') {
    running = keepPace(command.perSecond, command.connections);
    running.catch((error: unknown) => {
      process.stderr.write(`the clients ended: ${String(error)}\n`);
      process.exit(1);
    });
    tally = newTally();
    return;
  }
  if (command.kind === 'end') {
    ending.abort();
    await running;
  }
  const taken = tally;
  tally = newTally();
  process.send?.(reportOf(taken));
}

function newTally(): Tally {
  const histogram = createHistogram({ lowest: 1, highest: WORST_US, figures: 3 });
  return { since: performance.now(), sent: 0, accepted: 0, pending: 0, shed: 0, odd: [], histogram };
}

function reportOf({ since, histogram, ...counts }: Tally): SteadyReport {
  const at = (percentile: number): number => histogram.percentile(percentile) / MICROSECONDS_PER_MS;
  const seconds = (performance.now() - since) / 1_000;
  return { ...counts, seconds, p50: at(50), p99: at(99), worst: histogram.max / MICROSECONDS_PER_MS };
}

async function keepPace(perSecond: number, connections: number): Promise<void> {
  const started = performance.now();
  let taken = 0;
  const client = async (): Promise<void> => {
    const connection = await LoadConnection.open(hostname, Number(port));
    while (!ending.signal.aborted) {
      const number = taken++;
      const dueAt = started + (number * 1_000) / perSecond;
      const early = dueAt - performance.now();
      if (early > 0) await pause(early);
      await submit(connection, operators[number % operators.length]!, dueAt);
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, client));
}

async function submit(connection: LoadConnection, operator: BenchOperator, dueAt: number): Promise<void> {
  // A submission counts in the period in which it was due, even when its response is late.
  const counted = tally;
  counted.sent++;
  const { status, body } = await connection.exchange(maker.next(operator).bytes);
  if (status === 429) counted.shed++;
  else if (status === 200 && body.includes('"verdict":"pending"')) counted.pending++;
  else if (status === 200 && body.includes('"accepted":true')) counted.accepted++;
  else if (counted.odd.length < MAX_SHOWN_RESPONSES) counted.odd.push(`${status} ${body}`);
  counted.histogram.record(Math.max(1, Math.round((performance.now() - dueAt) * MICROSECONDS_PER_MS)));
}

import { readFileSync } from 'node:fs';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { MICROSECONDS_PER_MS } from '../../../config/units.ts';
import { LoadConnection } from '../frame/load-connection.ts';
import { serveTasks } from '../frame/task-process.ts';
import { type BenchOperator, RequestMaker, type SignedRequest } from './signed-requests.ts';

/**
 * Clients that submit snapshots in a separate process: `client-main.ts OPERATORS_FILE BASE_URL`. They sign submissions
 * before a load, or each when it is sent.
 */
const [, , operatorsFile = '', baseUrl = ''] = process.argv;
const operators: readonly BenchOperator[] = JSON.parse(readFileSync(operatorsFile, 'utf8'));
const maker = new RequestMaker(baseUrl);
const port = Number(new URL(baseUrl).port);
let prepared: readonly SignedRequest[] = [];
/** Number of submitted prepared requests; each load continues where the previous one ended. */
let submitted = 0;
/** Number of submissions signed when they were sent. */
let made = 0;
let lastResponse = { head: '', body: '' };

/** Unexpected responses to include in an error. */
const MAX_SHOWN_RESPONSES = 5;
const WORST_US = 10 * 60 * 1_000_000;

let tally = newTally();
let ending = new AbortController();
let running: Promise<unknown> = Promise.resolve();

/** Operators from `first` on. */
interface SomeOperators {
  readonly first: number;
  readonly operators: number;
}

/** A load of submissions that are signed when they are sent. */
export interface LoadShape {
  /**
   * Submissions per second, independent of responses: an open loop. A submission that is due while the service is slow
   * waits, and its latency counts from when it was due, so that a stall affects every submission that it delays. Null: each
   * connection submits after its last response.
   */
  readonly perSecond: number | null;
  /** Null: until `end`. */
  readonly seconds: number | null;
  /** Maximum of connections; submissions that are due wait for a free one, and their wait counts. */
  readonly connections: number;
  /** Whether clients send `Prefer: respond-async`: then only the service limits their rate. */
  readonly async?: boolean;
  /** Range of operators that submit in rotation; `until` is exclusive. All by default. */
  readonly among?: { readonly from: number; readonly until: number };
}

const tasks = {
  /** Signs submissions of operators in rotation. */
  sign({ first, operators: count, requests }: SomeOperators & { readonly requests: number }): void {
    submitted = 0;
    prepared = Array.from({ length: requests }, (_, index) => maker.next(operators[first + (index % count)]!));
  },
  /** Sends the access tokens of operators to the api, by one cheap read each. */
  async introduce({ first, operators: count, connections }: SomeOperators & { readonly connections: number }) {
    let next = first;
    await onConnections(connections, async (connection) => {
      while (next < first + count) {
        const { token } = operators[next++]!;
        const { status, body } = await connection.exchange(maker.unknownSnapshot(token));
        if (status !== 404) throw new Error(`a request with a new token returned ${status} ${body.toString()}`);
      }
    });
  },
  /** The next prepared request, and the head and body of the last response to one. */
  sample() {
    const { bytes, signed, signature, key } = prepared[submitted] ?? prepared[0]!;
    const request = bytes.toString('latin1');
    const [signedText, signatureText] = [signed.toString('base64'), signature.toString('base64')];
    return { ...lastResponse, request, signed: signedText, signature: signatureText, publicKey: key.x };
  },
  /** Submits signed requests that were not submitted yet, until none is left or time is up. */
  async submit({ connections, seconds }: { readonly connections: number; readonly seconds: number }) {
    await onConnections(
      connections,
      saturate(seconds, () => prepared[submitted++]?.bytes),
    );
    return takeTally();
  },
  /** Begins a load. */
  begin(load: LoadShape): void {
    ending = new AbortController();
    running = onConnections(load.connections, play(load, ending.signal));
    running.catch((error: unknown) => {
      process.stderr.write(`the clients ended: ${String(error)}\n`);
      process.exit(1);
    });
  },
  /** Reports the submissions that were due since the last report, or since the load began. */
  take: takeTally,
  /** Waits for the end of the load, which it stops when it has no time, and reports the rest. */
  async end() {
    ending.abort();
    await running;
    return takeTally();
  },
};

export type ClientTasks = typeof tasks;
export type LoadReport = ReturnType<typeof takeTally>;
export type ExchangeSample = ReturnType<typeof tasks.sample>;
serveTasks(tasks);

function newTally() {
  /** Microseconds. */
  const histogram = createHistogram({ lowest: 1, highest: WORST_US, figures: 3 });
  const counts = { sent: 0, accepted: 0, changed: 0, pending: 0, shed: 0, odd: 0 };
  return { since: performance.now(), counts, oddResponses: [] as string[], histogram };
}

function takeTally() {
  const { since, counts, oddResponses, histogram } = tally;
  tally = newTally();
  const at = (percentile: number): number => histogram.percentile(percentile) / MICROSECONDS_PER_MS;
  const worst = histogram.max / MICROSECONDS_PER_MS;
  return {
    /**
     * `accepted`: with a final verdict; `changed`: of these, those that raised the operator's totals; `shed`: status 429 with
     * a problem document and Retry-After; `odd`: unexpected, of which `oddResponses` has some.
     */
    ...counts,
    oddResponses,
    seconds: (performance.now() - since) / 1_000,
    /** Of responses with a verdict, including pending ones: milliseconds from the time at which a submission was due. */
    latencies: { p50: at(50), p90: at(90), p99: at(99), p999: at(99.9), worst },
  };
}

type ConnectionWork = (connection: LoadConnection, startedAt: number) => Promise<void>;

/** Runs work on new connections; counts from when all are open. */
async function onConnections(count: number, work: ConnectionWork): Promise<void> {
  const connections = await LoadConnection.openAll(port, count);
  tally = newTally();
  const startedAt = performance.now();
  await Promise.all(connections.map((connection) => work(connection, startedAt)));
  // After the report, whose time must not include it.
  setImmediate(() => connections.forEach((connection) => connection.close()));
}

/** Submits on a connection, each time after the last response, until time is up or `next` has no request. */
function saturate(seconds: number, next: () => Buffer | undefined): ConnectionWork {
  return async (connection, startedAt) => {
    const until = startedAt + seconds * 1_000;
    for (let sentAt = performance.now(); sentAt < until; sentAt = performance.now()) {
      const request = next();
      if (request === undefined) return;
      await submit(connection, request, sentAt);
    }
  };
}

/** A load with a time runs to its end; one without ends with `signal`. */
function play({ perSecond, seconds, async, among }: LoadShape, signal: AbortSignal): ConnectionWork {
  const { from, until } = among ?? { from: 0, until: operators.length };
  const next = (): Buffer => {
    const { bytes } = maker.next(operators[from + (made++ % (until - from))]!);
    return async === true ? withRespondAsync(bytes) : bytes;
  };
  if (perSecond === null) return saturate(seconds ?? 0, next);
  const total = seconds === null ? null : Math.round(perSecond * seconds);
  let taken = 0;
  // Each connection takes the next submission and waits until it is due; when all are busy, due submissions wait.
  return async (connection, startedAt) => {
    while (total === null ? !signal.aborted : taken < total) {
      const dueAt = startedAt + (taken++ * 1_000) / perSecond;
      const early = dueAt - performance.now();
      if (early > 0) await pause(early);
      await submit(connection, next(), dueAt);
    }
  };
}

/** End of the request line; headers follow. */
const REQUEST_LINE_END = Buffer.from('\r\n');
const RESPOND_ASYNC = Buffer.from('\r\nPrefer: respond-async\r\n');

function withRespondAsync(request: Buffer): Buffer {
  const at = request.indexOf(REQUEST_LINE_END);
  return Buffer.concat([request.subarray(0, at), RESPOND_ASYNC, request.subarray(at + REQUEST_LINE_END.length)]);
}

async function submit(connection: LoadConnection, request: Buffer, dueAt: number): Promise<void> {
  // A submission counts in the period in which it was due, even when its response is late.
  const { counts, oddResponses, histogram } = tally;
  counts.sent++;
  const { status, head, body } = await connection.exchange(request);
  const ms = performance.now() - dueAt;
  const text = body.toString('latin1');
  lastResponse = { head, body: text };
  const kind = kindOf(status, head, text);
  counts[kind]++;
  if (kind === 'odd' && oddResponses.length < MAX_SHOWN_RESPONSES) oddResponses.push(`${status} ${text}`);
  if (kind === 'accepted' && text.includes('"changed":true')) counts.changed++;
  if (kind !== 'accepted' && kind !== 'pending') return;
  histogram.record(Math.max(1, Math.round(ms * MICROSECONDS_PER_MS)));
}

function kindOf(status: number, head: string, text: string): 'accepted' | 'pending' | 'shed' | 'odd' {
  const polite = (): boolean =>
    /\r\nretry-after: \d+/i.test(head) && /\r\ncontent-type: application\/problem\+json/i.test(head);
  if (status !== 200) return status === 429 && polite() ? 'shed' : 'odd';
  if (text.includes('"accepted":true') && text.includes('"verdict":"final"')) return 'accepted';
  return text.includes('"verdict":"pending"') ? 'pending' : 'odd';
}

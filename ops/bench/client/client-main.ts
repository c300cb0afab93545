import { readFileSync } from 'node:fs';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { MICROSECONDS_PER_MS, MS_PER_SECOND } from '../../../config/units.ts';
import { serveTasks } from '../frame/task-process.ts';
import { LoadConnection } from './load-connection.ts';
import { createSubmissions, type ReadRequest, readText, type Submitter } from './requests.ts';

/** All clients of a load, in a separate process: `client-main.ts PORT [SUBMITTERS_FILE]`. */
const [port = Number.NaN] = process.argv.slice(2, 3).map(Number);
const [, , , submittersFile] = process.argv;
const submitters: readonly Submitter[] =
  submittersFile === undefined ? [] : JSON.parse(readFileSync(submittersFile, 'utf8'));
const submission = createSubmissions(port);

/** Unexpected responses to include in an error. */
const MAX_SHOWN_RESPONSES = 3;
const MAX_SHOWN_BYTES = 300;
const MAX_LATENCY_US = 10 * 60 * 1_000_000;

/** Submissions that cycle through some operators, the first of which is `from`; `until` is exclusive. */
export interface Submissions {
  readonly from: number;
  readonly until: number;
}

export interface Load {
  readonly requests: ReadRequest | Submissions;
  readonly connections: number;
  readonly seconds: number;
  /**
   * Requests per second, independent of responses: an open loop. A request that is due while the service is slow waits, and its
   * latency counts from when it was due, so that a stall affects every request that it delays. Without it, each connection
   * sends after its last response.
   */
  readonly perSecond?: number;
  /** The expected status of reads; 200 by default. */
  readonly status?: number;
}

const tasks = { load: runLoad };
export type ClientTasks = typeof tasks;
export type LoadReport = Awaited<ReturnType<typeof runLoad>>;
serveTasks(tasks);

/** Requests of this process so far: a later load continues the turns of clients and operators. */
let made = 0;

function nextRequest(requests: ReadRequest | Submissions): string {
  made += 1;
  if ('from' in requests) {
    const { from, until } = requests;
    return submission(submitters[from + (made % (until - from))]!);
  }
  const { clients } = requests;
  return readText(port, requests, clients === undefined ? null : clients.first + (made % clients.count));
}

/** Sends the requests of a load, and reports their responses. */
async function runLoad({ requests, connections, seconds, perSecond, status: expected = 200 }: Load) {
  /** Microseconds. */
  const latencies = createHistogram({ lowest: 1, highest: MAX_LATENCY_US, figures: 3 });
  const counts = { sent: 0, expected: 0, pending: 0, shed: 0, odd: 0 };
  const oddResponses: string[] = [];
  const opened = await LoadConnection.openAll(port, connections);
  const startedAt = performance.now();
  const until = startedAt + seconds * MS_PER_SECOND;
  const repeat = async (connection: LoadConnection): Promise<void> => {
    for (;;) {
      const now = performance.now();
      const dueAt = perSecond === undefined ? now : startedAt + (counts.sent * MS_PER_SECOND) / perSecond;
      if (dueAt >= until) return;
      counts.sent += 1;
      if (dueAt > now) await pause(dueAt - now);
      const { status, head, body } = await connection.exchange(nextRequest(requests));
      const kind = kindOf('from' in requests, status, expected, head, body);
      counts[kind] += 1;
      if (kind === 'odd' && oddResponses.length < MAX_SHOWN_RESPONSES)
        oddResponses.push(`${status} ${body.toString('latin1', 0, MAX_SHOWN_BYTES)}`);
      if (kind !== 'expected' && kind !== 'pending') continue;
      latencies.record(Math.max(1, Math.round((performance.now() - dueAt) * MICROSECONDS_PER_MS)));
    }
  };
  await Promise.all(opened.map(repeat));
  const duration = (performance.now() - startedAt) / MS_PER_SECOND;
  for (const connection of opened) connection.close();
  const at = (percentile: number): number => latencies.percentile(percentile) / MICROSECONDS_PER_MS;
  return {
    /**
     * `expected`: with the expected status, and of submissions with a final verdict; `pending`: with none yet; `shed`: status 429
     * with a problem document and Retry-After; `odd`: others, of which `oddResponses` has some.
     */
    ...counts,
    oddResponses,
    seconds: duration,
    /** Of expected and pending responses, from when a request was due. */
    latencies: { p50: at(50), p99: at(99), p999: at(99.9) },
  };
}

function kindOf(
  isSubmission: boolean,
  status: number,
  expected: number,
  head: string,
  body: Buffer,
): 'expected' | 'pending' | 'shed' | 'odd' {
  if (status === expected) {
    if (!isSubmission) return 'expected';
    if (body.includes('"verdict":"pending"')) return 'pending';
    return body.includes('"accepted":true') ? 'expected' : 'odd';
  }
  const polite = /\r\nretry-after: \d+/i.test(head) && /\r\ncontent-type: application\/problem\+json/i.test(head);
  return status === 429 && polite ? 'shed' : 'odd';
}

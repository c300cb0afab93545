import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hrtime } from 'node:process';
import { serveTasks } from '../frame/task-process.ts';
import type { BenchOperator } from './bench-operator.ts';
import { LoadConnection } from './load-connection.ts';
import { RequestMaker, type SignedRequest } from './signed-requests.ts';

/**
 * The clients of the ingest bench in a separate process: `client-main.ts OPERATORS_FILE BASE_URL`. They
 * sign submissions, verify their signatures with node:crypto, and submit them.
 */
const [, , operatorsFile = '', baseUrl = ''] = process.argv;
const operators: readonly BenchOperator[] = JSON.parse(readFileSync(operatorsFile, 'utf8'));
const maker = new RequestMaker(baseUrl);
const address = new URL(baseUrl);
let requests: SignedRequest[] = [];
/** Number of submitted requests; each load continues where the previous one ended. */
let submitted = 0;

/** Unexpected responses to include in an error. */
const MAX_SHOWN_RESPONSES = 5;

const tasks = { sign: signAll, introduce: introduceAll, verify: verifyFor, load: submitAll };

export type ClientTasks = typeof tasks;
serveTasks(tasks);

/** Operators from `first` on. */
interface SomeOperators {
  readonly first: number;
  readonly operators: number;
}

/** Signs submissions of operators in rotation. Returns their number. */
function signAll({ first, operators: count, requests: wanted }: SomeOperators & { readonly requests: number }): number {
  submitted = 0;
  requests = Array.from({ length: wanted }, (_, index) => maker.next(operators[first + (index % count)]!));
  return requests.length;
}

/** Sends the access tokens of operators to the api, by one cheap read each. */
async function introduceAll({
  first,
  operators: count,
  connections,
}: SomeOperators & { readonly connections: number }): Promise<number> {
  let next = first;
  const pump = async (connection: LoadConnection): Promise<void> => {
    while (next < first + count) {
      const { token } = operators[next++]!;
      const { status, body } = await connection.exchange(maker.unknownSnapshot(token));
      if (status !== 404) throw new Error(`a request with a new token returned ${status} ${body}`);
    }
    connection.close();
  };
  await Promise.all((await openConnections(connections)).map(pump));
  return count;
}

function openConnections(count: number): Promise<LoadConnection[]> {
  const { hostname, port } = address;
  return Promise.all(Array.from({ length: count }, () => LoadConnection.open(hostname, Number(port))));
}

/** Speed of signature verification on one thread; `cpu` is microseconds per verification. */
export interface VerifyResult {
  readonly perSecond: number;
  readonly cpu: number;
}

/** Verifies the signed submissions with node:crypto on this thread, with imported keys. */
function verifyFor(seconds: number): VerifyResult {
  const keys = new Map<string, KeyObject>();
  const sample = requests.slice(0, 2_000).map(({ signed, signature, key: { x } }) => {
    const key = keys.get(x) ?? createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    keys.set(x, key);
    return { signed, signature, key };
  });
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  let verified = 0;
  while (performance.now() - started < seconds * 1_000) {
    for (let repetition = 0; repetition < 16; repetition++) {
      const { signed, signature, key } = sample[verified % sample.length]!;
      if (!verify(null, signed, key, signature)) throw new Error('a prepared signature does not verify');
      verified++;
    }
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  return { perSecond: (verified / (performance.now() - started)) * 1_000, cpu: (user + system) / verified };
}

/** Result of a load. Latencies are of complete responses, in milliseconds. */
export interface LoadResult {
  readonly sent: number;
  /** Status 200, accepted, with a final verdict. */
  readonly accepted: number;
  /** Accepted ones that raised the operator's totals. */
  readonly changed: number;
  readonly pending: number;
  readonly odd: number;
  readonly oddResponses: readonly string[];
  readonly seconds: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly worst: number;
}

/** Submits signed requests that were not submitted yet, until none is left or time is up. */
async function submitAll({
  connections: wanted,
  seconds,
}: {
  readonly connections: number;
  readonly seconds: number;
}): Promise<LoadResult> {
  const connections = await openConnections(wanted);
  const first = submitted;
  const latencies = new Float64Array(requests.length - first);
  const result = { sent: 0, accepted: 0, changed: 0, pending: 0, odd: 0, oddResponses: [] as string[] };
  let answered = 0;
  const started = performance.now();
  const pump = async (connection: LoadConnection): Promise<void> => {
    while (submitted < requests.length && performance.now() - started < seconds * 1_000) {
      const { bytes } = requests[submitted++]!;
      const sentAt = hrtime.bigint();
      const { status, body } = await connection.exchange(bytes);
      latencies[answered++] = Number(hrtime.bigint() - sentAt) / 1e6;
      if (status === 200 && body.includes('"accepted":true') && body.includes('"verdict":"final"')) {
        result.accepted++;
        if (body.includes('"changed":true')) result.changed++;
      } else if (status === 200 && body.includes('"verdict":"pending"')) {
        result.pending++;
      } else {
        result.odd++;
        if (result.oddResponses.length < MAX_SHOWN_RESPONSES) result.oddResponses.push(`${status} ${body}`);
      }
    }
  };
  await Promise.all(connections.map(pump));
  const took = (performance.now() - started) / 1_000;
  for (const connection of connections) connection.close();
  const sorted = latencies.subarray(0, answered).sort();
  const at = (share: number): number => sorted[Math.min(answered - 1, Math.floor(answered * share))] ?? 0;
  return { ...result, sent: submitted - first, seconds: took, p50: at(0.5), p90: at(0.9), p99: at(0.99), worst: at(1) };
}

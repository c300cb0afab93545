import { setTimeout as pause } from 'node:timers/promises';
import type { Load, LoadReport } from './client/client-main.ts';
import { LoadConnection } from './client/load-connection.ts';
import { createSubmissions } from './client/requests.ts';
import { type Client, startClient } from './client/start-client.ts';
import { againstCommit } from './frame/against.ts';
import { type BenchContext, defineBench, type Figure, figure } from './frame/bench.ts';
import { residentBytes } from './frame/cpu-time.ts';
import { alternate, median, quantile, sum } from './frame/statistics.ts';
import { mib, ms } from './frame/text-table.ts';
import { readProfile } from './reads/measure-profiles.ts';
import { openSides, type Side, startOverSubmitters } from './sides/side.ts';

const VERDICT_P99_MS = 250;
const BOARD_P99_MS = 1_500;
const READ_P99_MS = 100;
/** Shares of the limit that are asked. */
const HALF = 0.5;
const HELD = 0.8;
const READS = { path: '/api/v1/leaderboard', clients: { count: 50_000, first: 1_000_000 } } as const;
const READ_CONNECTIONS = 32;
const BOARD_POLL_MS = 20;
const BOARD_LIMIT_MS = 60_000;

/** Submissions and reads of many clients at once. */
export const load = defineBench({
  name: 'load',
  summary: 'latencies of submissions and of reads beside them at half the limit, and four fifths of it held',
  method:
    'One api and one worker with their quotas. The limit is what 512 connections submit one after another; other loads are open loops, ' +
    'in which a latency counts from when a request was due. 50,000 clients read the leaderboard 1,000 times a second meanwhile, and one ' +
    'operator waits for each snapshot to reach its profile.',
  options: {
    operators: [2_000, 40],
    seconds: [20, 0.3],
    hold: [120, 0.3],
    connections: [512, 32],
    reads: [1_000, 50],
    rounds: [1, 1],
  },
  async run(context, { seconds, hold, rounds, ...options }) {
    const plays = await openSides(context, (side) => startService(context, side, options));
    context.progress('finding the limit');
    await alternate(plays, 1, (play) => play({ seconds: seconds / 2 }));
    const full = await plays[0]({ seconds });
    const limit = full.submitted.expected / full.submitted.seconds;
    context.progress('half the limit');
    const halves = await alternate(plays, rounds, (play) => play({ seconds, perSecond: limit * HALF }));
    context.progress('four fifths of it, held');
    const held = await plays[0]({ seconds: hold, perSecond: limit * HELD });
    const ofTrees = halves.map((phases, tree) => phaseRow(`half of it, ${context.trees[tree]!.name}`, phases.at(-1)!));
    context.table('Submissions, with reads beside them; memory of api and worker at the end', [
      ['load', 'verdicts/s', 'pending', '429', 'p50', 'p99', 'p99.9', 'board p99', 'read p99', 'memory'],
      phaseRow('limit', full),
      ...ofTrees,
      phaseRow('four fifths of it, held', held),
    ]);
    const compared = { ratio: rateOf(held) / (limit * HELD), peer: 'of four fifths of the limit', atLeast: 0.99 };
    const [latencies, againstLatencies] = latencyFigures(context, halves);
    return [
      ...latencies,
      figure('snapshots held', rateOf(held), '/s', compared),
      figure('memory at its end, of that at half the limit', held.bytes / halves[0]!.at(-1)!.bytes, 'times', {
        atMost: 1.25,
      }),
      ...againstLatencies,
    ];
  },
});

type Options = Readonly<Record<'operators' | 'connections' | 'reads', number>>;

interface Phase {
  readonly submitted: LoadReport;
  readonly readP99: number;
  /** Milliseconds from submission to a profile that contains it. */
  readonly shown: readonly number[];
  /** Memory at its end. */
  readonly bytes: number;
}

interface PhaseShape {
  readonly seconds: number;
  /** By default, each connection submits after its last response. */
  readonly perSecond?: number;
}

/** Starts a tree's worker and api over operators who can submit. Returns the function that submits and reads for some time. */
async function startService(context: BenchContext, side: Side, { operators, connections, reads }: Options) {
  const { env, submitters: all, worker } = await startOverSubmitters(context, side, operators + 1);
  const [prober, ...submitters] = all;
  const api = await side.startApi(env);
  const submitting = await startClient(context, api.port, submitters);
  const reading = await startClient(context, api.port);
  const submission = createSubmissions(api.port);
  return async (asked: PhaseShape): Promise<Phase> => {
    const ending = new AbortController();
    const probe = probeBoard(api.port, prober!.codename, () => submission(prober!), ending.signal);
    const requests = { from: 0, until: operators };
    const [submitted, read] = await Promise.all([
      send(submitting, { ...asked, requests, connections }),
      send(reading, { ...asked, requests: READS, connections: READ_CONNECTIONS, perSecond: reads }),
    ]);
    ending.abort();
    const bytes = sum(await Promise.all([api, worker].map(({ pid }) => residentBytes(pid))));
    return { submitted, readP99: read.latencies.p99, shown: await probe, bytes };
  };
}

/** @throws for unexpected responses */
async function send(client: Client, asked: Load): Promise<LoadReport> {
  const report = await client.request('load', asked);
  if (report.odd === 0) return report;
  throw new Error(`unexpected responses: ${report.oddResponses.join(' | ')}`);
}

/** Submits snapshots one after another until aborted, and measures each from submission to a profile that contains it. */
async function probeBoard(
  port: number,
  codename: string,
  next: () => string,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const connection = await LoadConnection.open(port);
  const shownYield = async (): Promise<unknown> => JSON.parse(await readProfile(connection, port, codename)).yield_;
  const times: number[] = [];
  while (!signal.aborted) {
    const before = await shownYield();
    const started = performance.now();
    const { status, body } = await connection.exchange(next());
    if (status !== 200) throw new Error(`a probe returned ${status} ${body.toString()}`);
    while ((await shownYield()) === before) {
      if (performance.now() - started > BOARD_LIMIT_MS) throw new Error('a snapshot did not reach the board');
      await pause(BOARD_POLL_MS);
    }
    times.push(performance.now() - started);
  }
  connection.close();
  return times;
}

/** Verdicts per second, including pending ones. */
const rateOf = ({ submitted: { expected, pending, seconds } }: Phase): number => (expected + pending) / seconds;

function phaseRow(name: string, phase: Phase): readonly string[] {
  const { pending, shed, latencies } = phase.submitted;
  const times = [latencies.p50, latencies.p99, latencies.p999, quantile(phase.shown, 0.99), phase.readP99].map(ms);
  return [name, rateOf(phase).toFixed(0), String(pending), String(shed), ...times, mib(phase.bytes)];
}

/** Latencies at half the limit, and against the other commit. */
function latencyFigures(context: BenchContext, halves: readonly (readonly Phase[])[]) {
  const kinds: readonly (readonly [name: string, atMost: number, of: (phase: Phase) => number])[] = [
    ['verdict, p99 at half the limit', VERDICT_P99_MS, ({ submitted }) => submitted.latencies.p99],
    ['on the board, p99', BOARD_P99_MS, ({ shown }) => quantile(shown, 0.99)],
    ['leaderboard beside it, p99', READ_P99_MS, ({ readP99 }) => readP99],
  ];
  const own = kinds.map(([name, atMost, of]): Figure => figure(name, median(halves[0]!.map(of)), 'ms', { atMost }));
  const against = kinds.flatMap(([name, , of]) => {
    const taken = halves.map((phases) => phases.map(of));
    return againstCommit(context, name, 'ms', taken);
  });
  return [own, against] as const;
}

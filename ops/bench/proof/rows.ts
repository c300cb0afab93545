import { figureOf, type Results, type StoredFigure } from './stored-results.ts';

type Bound = { readonly atLeast: number } | { readonly atMost: number };

/** A row of the proof: a figure with its target. */
export interface ProofRow {
  readonly what: string;
  /** The peer or limit, as text. */
  readonly against: string;
  readonly part: string;
  /** The name of the bench's figure, or its beginning. */
  readonly figure: string;
  /** `peer`: a ratio to a measurement of the same run. `limit`: a value with a fixed limit. */
  readonly kind: 'peer' | 'limit';
  /** Bound of the ratio for a peer, of the value for a limit. */
  readonly target: Bound | null;
  readonly aim: number | null;
  /** Whether README contains it. */
  readonly readme: boolean;
}

const ED25519 = "node:crypto's Ed25519 verifications a second on one core";
const BARE_HTTP = 'bare `node:http` sending the same bytes and headers';

const peer = (part: string, figure: string, target: Bound | null, aim: number | null) =>
  ({ kind: 'peer', part, figure, target, aim }) as const;
const limit = (part: string, figure: string, target: Bound | null, aim: number | null) =>
  ({ kind: 'limit', part, figure, target, aim }) as const;
const line = (what: string, against: string, of: ReturnType<typeof peer | typeof limit>, readme = false): ProofRow => ({
  what,
  against,
  ...of,
  readme,
});

/** All rows, in the order of the page. */
export const ROWS: readonly ProofRow[] = [
  line('reads: leaderboard', BARE_HTTP, peer('reads', 'leaderboard', { atLeast: 0.9 }, 0.95), true),
  line('reads: warm profile', BARE_HTTP, peer('reads', 'warm profile', { atLeast: 0.8 }, 0.9), true),
  line('reads: home page', BARE_HTTP, peer('site', 'home', { atLeast: 0.45 }, null)),
  line(
    'ingest end to end, 1,024 in flight',
    ED25519,
    peer('ingest', '2000 operators, twice', { atLeast: 0.42 }, 0.6),
    true,
  ),
  line('ingest, 512 in flight', ED25519, peer('ingest', '2000 operators', { atLeast: 0.35 }, 0.42), true),
  line(
    'ingest, 50,000 operators, cold worker, 512 in flight',
    ED25519,
    peer('ingest', '50000 operators', { atLeast: 0.35 }, 0.42),
    true,
  ),
  line(
    'verdict, p99 at half the limit',
    'the promised limit',
    limit('load', 'verdict p99', { atMost: 250 }, 125),
    true,
  ),
  line(
    'on the board, p99 at half the limit',
    'the promised limit',
    limit('load', 'on the board', { atMost: 1_500 }, 750),
    true,
  ),
  line('commit of 1,000 changes at 1M', 'itself at 10k', peer('commit', 'commit at', { atMost: 1.5 }, 1.2), true),
  line(
    'commit of 1,000 changes at 1M, with its share of compaction',
    'itself at 10k',
    peer('commit', 'with compaction', { atMost: 3 }, 1.2),
  ),
  line('core of a commit at 10M, in memory', 'itself at 10k', peer('core', 'core of a commit at', { atMost: 2 }, 1.2)),
  line(
    'core of a commit at 10M, mean with its share of compaction',
    'itself at 10k',
    peer('core', 'core of a commit, mean', { atMost: 3 }, null),
  ),
  line(
    're-rank of 1M operators, 4 windows',
    'MongoDB `$setWindowFields` into `$merge`',
    peer('rerank', 'against $merge', { atLeast: 10 }, 30),
    true,
  ),
  line(
    're-rank of 1M operators, 4 windows',
    'MongoDB `$setWindowFields` into `$out`',
    peer('rerank', 'against $out', { atLeast: 4 }, null),
  ),
  line('memory of a worker that re-ranks 1M', 'a limit', limit('rerank', 'most memory', { atMost: 477 }, null)),
  line(
    'verdict p99 while 100,000 are re-ranked under load',
    'itself before',
    peer('rerank-live', 'p99 during', { atMost: 2 }, null),
  ),
  line('failed reads during that re-rank', 'none', limit('rerank-live', 'failed reads', { atMost: 0 }, null)),
  line('cold profile at 1M', 'one indexed `findOne`', peer('scale', 'cold profile', { atMost: 3 }, 2), true),
  line('worker start at 1M', 'an empty start', peer('scale', 'worker start', { atMost: 1.5 }, 1.1)),
  line('api start at 1M', 'an empty start', peer('scale', 'api start', { atMost: 1.5 }, 1.1)),
  line('memory of the worker at 1M', 'a limit', limit('scale', 'memory of worker', { atMost: 500 }, null), true),
  line('memory of the api at 1M', 'a limit', limit('scale', 'memory of api', { atMost: 250 }, null), true),
  line(
    'commit and rank reads at 1M',
    'Redis `ZADD` and `ZREVRANK` of the same changes, without history and durability',
    peer('sorted-set', 'commit and rank read', { atMost: 2 }, 1),
  ),
  line('garbage collection of one base run at 1M', '', limit('commit', 'sweep of one base', null, null)),
  line('sustained limit with clients on the same machine', '', limit('load', 'sustained limit', null, null), true),
  line(
    'four fifths of the sustained limit, held',
    'the requested rate',
    peer('load', 'four fifths', { atLeast: 0.99 }, null),
  ),
  line(
    'memory at the end of the held load',
    'memory after its warm-up',
    limit('load', 'memory at the end', { atMost: 1.25 }, null),
  ),
  line('waiting jobs at the end of the held load', 'a limit', limit('load', 'jobs that wait', { atMost: 20 }, null)),
  line(
    'shed submissions (429) of a spike of five times the limit',
    'sent submissions',
    limit('load', 'shed of', null, null),
  ),
  line(
    'memory at the peak of the spike',
    'memory before it',
    limit('load', 'memory at the height', { atMost: 2 }, null),
  ),
  line('recovery after the spike', 'a limit', limit('load', 'recovery after', { atMost: 10 }, null)),
  line('first scan of 1 GiB of logs', "ccusage's time", peer('scan', 'upsilon, first, speed', { atLeast: 1 }, null)),
  line('second scan, including the start of Node', 'the first', peer('scan', 'second run of', { atLeast: 10 }, null)),
  line('second scan, excluding the start of Node', 'the first', peer('scan', 'speedup of the second scan', null, null)),
  line('passed fault schedules', 'all that ran', peer('faults', 'faults that held', { atLeast: 1 }, null)),
  line('passed abuse tests', 'all that ran', peer('abuse', 'abuse that held', { atLeast: 1 }, null)),
];

/** The state of a row: `failed` when its part failed, `absent` when the part was not run or has no such figure. */
export interface RowState {
  readonly row: ProofRow;
  readonly figure: StoredFigure | null;
  readonly verdict: 'met' | 'missed' | 'reported' | 'failed' | 'absent';
}

export function rowState(row: ProofRow, results: Results): RowState {
  const part = results.parts[row.part];
  if (part?.status === 'failed') return { row, figure: null, verdict: 'failed' };
  const figure = figureOf(results, row.part, row.figure) ?? null;
  if (figure === null) return { row, figure, verdict: 'absent' };
  const measured = row.kind === 'peer' ? figure.ratio : figure.value;
  if (row.target === null) return { row, figure, verdict: 'reported' };
  const met =
    measured !== null && ('atLeast' in row.target ? measured >= row.target.atLeast : measured <= row.target.atMost);
  return { row, figure, verdict: met ? 'met' : 'missed' };
}

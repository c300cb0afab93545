import { byWindow, type Window } from '../../contract/windows.ts';
import type { RankingContext } from '../context.ts';
import type { Comparison, Mover } from '../core/rerank/compare-boards.ts';
import type { RerankKind, RerankRunDocument, RerankState } from '../storage/rerank-documents.ts';

/** Ended runs that a status tells of. */
const TOLD_RUNS = 10;

/** An operator among those that move most; the codename is null for one that was erased. */
export interface NamedMover extends Mover {
  readonly codename: string | null;
}

export interface NamedComparison extends Omit<Comparison, 'climbers' | 'fallers' | 'unranked'> {
  readonly climbers: readonly NamedMover[];
  readonly fallers: readonly NamedMover[];
  readonly unranked: readonly NamedMover[];
}

/** A run as people see it. Times are milliseconds since the epoch. */
export interface RunStatus {
  readonly run: string;
  readonly kind: RerankKind;
  readonly from: number;
  readonly methodology: number;
  readonly state: RerankState;
  /** Operators that are scored, and how many there are, in ranges. */
  readonly scored: number;
  readonly ranges: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly error: string | null;
  readonly report: Readonly<Record<Window, NamedComparison>> | null;
}

/** The board's methodology, the run under way, and what came of the last ones. */
export interface RerankStatus {
  readonly methodology: number;
  readonly version: number;
  readonly underWay: RunStatus | null;
  /** Newest first. */
  readonly ended: readonly RunStatus[];
  /** What a rollback would return to, and until when it can; null when it cannot. */
  readonly rollback: { readonly methodology: number; readonly until: number } | null;
}

/** How changes of the methodology stand. Throws when there is no board yet. */
export async function rerankStatus(context: RankingContext): Promise<RerankStatus> {
  const { stores, clock } = context;
  const manifest = await stores.board.read();
  if (manifest === null) throw new Error('there is no board yet: start a worker first');
  const runs = await Promise.all((await stores.rerankRuns.newest(TOLD_RUNS)).map((run) => statusOf(context, run)));
  const last = manifest.switches?.at(-1);
  const until = manifest.former?.until.getTime() ?? 0;
  return {
    methodology: manifest.methodology,
    version: manifest.version,
    underWay: runs.find(({ run }) => run === manifest.rerank?.run) ?? null,
    ended: runs.filter(({ run }) => run !== manifest.rerank?.run),
    rollback: last !== undefined && until > clock() ? { methodology: last.from.methodology, until } : null,
  };
}

async function statusOf(context: RankingContext, run: RerankRunDocument): Promise<RunStatus> {
  const { _id, kind, from, methodology, state, ranges, started_at, ended_at, error } = run;
  const isDone = state === 'switched' || state === 'previewed';
  const scored = isDone ? ranges : (await context.stores.rerankParts.scored(_id)).length;
  const report = run.report === null ? null : await named(context, run.report);
  const times = { startedAt: started_at.getTime(), endedAt: ended_at?.getTime() ?? null };
  return { run: _id, kind, from, methodology, state, scored, ranges, ...times, error, report };
}

/** A report with the present codenames of those it names. */
async function named({ stores }: RankingContext, report: readonly Comparison[]) {
  const movers = report.flatMap(({ climbers, fallers, unranked }) => [...climbers, ...fallers, ...unranked]);
  const numbers = [...new Set(movers.map(({ operator }) => operator))];
  const codenames = new Map<number, string | null>(
    (await stores.operators.summaries(numbers)).map(({ operator, codename }) => [operator, codename || null]),
  );
  const name = (list: readonly Mover[]): NamedMover[] =>
    list.map((mover) => ({ ...mover, codename: codenames.get(mover.operator) ?? null }));
  return byWindow((window) => {
    const comparison = report[window]!;
    const { climbers, fallers, unranked } = comparison;
    return { ...comparison, climbers: name(climbers), fallers: name(fallers), unranked: name(unranked) };
  });
}

import { byWindow, type Window } from '../../contract/windows.ts';
import type { RankingContext } from '../context.ts';
import type { Comparison, Mover } from '../core/compare-windows.ts';
import type { RowCounts } from '../core/row-counts.ts';
import type { PreviewedWindow, RerankRunDocument } from '../storage/reranks.ts';

const MAX_RUNS = 10;

/** One of the operators with the largest rank changes; the codename is null after an erasure. */
export interface NamedMover extends Mover {
  readonly codename: string | null;
}

type Movers = 'climbers' | 'fallers' | 'unranked';

export interface NamedComparison extends Omit<Comparison, Movers>, Readonly<Record<Movers, readonly NamedMover[]>> {
  /** Rows with a Yield, by how they stand. */
  readonly rows: RowCounts;
}

/** A run for display. Times are milliseconds since the epoch. */
export interface RunStatus
  extends Readonly<Pick<RerankRunDocument, 'kind' | 'from' | 'methodology' | 'state' | 'ranges' | 'error'>> {
  readonly run: string;
  /** Ranges scored, of `ranges`. */
  readonly scored: number;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly report: Readonly<Record<Window, NamedComparison>> | null;
}

/** The board's methodology, the current run, and the most recent ended runs. */
export interface RerankStatus {
  readonly methodology: number;
  readonly version: number;
  readonly underWay: RunStatus | null;
  /** Newest first. */
  readonly ended: readonly RunStatus[];
  /** The methodology that a rollback returns to, and its deadline in milliseconds since the epoch; null when it is impossible. */
  readonly rollback: { readonly methodology: number; readonly until: number } | null;
}

/** Throws when there is no board yet. */
export async function rerankStatus(context: RankingContext): Promise<RerankStatus> {
  const { stores, clock } = context;
  const manifest = await stores.board.read();
  if (manifest === null) throw new Error('there is no board yet: start a worker first');
  const runs = await Promise.all((await stores.rerankRuns.newest(MAX_RUNS)).map((run) => statusOf(context, run)));
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
  const report = run.report === null ? null : await withCodenames(context, run.report);
  const times = { startedAt: started_at.getTime(), endedAt: ended_at?.getTime() ?? null };
  return { run: _id, kind, from, methodology, state, scored, ranges, ...times, error, report };
}

/** Adds current codenames to a report. */
async function withCodenames({ stores }: RankingContext, report: readonly PreviewedWindow[]) {
  const shown = report.flatMap(({ climbers, fallers, unranked }) => [...climbers, ...fallers, ...unranked]);
  const numbers = [...new Set(shown.map(({ operator }) => operator))];
  const codenames = new Map<number, string | null>(
    (await stores.operators.summaries(numbers)).map(({ operator, codename }) => [operator, codename || null]),
  );
  const named = <T extends { readonly operator: number }>(list: readonly T[]) =>
    list.map((one) => ({ ...one, codename: codenames.get(one.operator) ?? null }));
  return byWindow((window) => {
    const { climbers, fallers, unranked, ...comparison } = report[window]!;
    const movers = { climbers: named(climbers), fallers: named(fallers), unranked: named(unranked) };
    return { ...comparison, ...movers };
  });
}

import type { RankingContext } from '../context.ts';
import type { RootDocument } from '../mongo/documents.ts';
import type { RerankRunDocument } from '../mongo/rerank-documents.ts';
import { endRerank } from './end-rerank.ts';
import { endSwitched } from './finish-rerank.ts';

/** Entries of the trail before they are gathered into one. */
const TRAIL_ENTRIES = 500;
/** How long ended runs are remembered. */
const KEPT_RUNS_MS = 400 * 24 * 3_600_000;
/** A run younger than this may still be on its way to the root. */
const SETTLING_MS = 60_000;
/** Flows that a run gets before it is given up: each was lost, or had a job that failed for good. */
const MAX_FLOWS = 50;

/** A flow of jobs for a run: one for each range that is not scored, and one that finishes. */
export interface RerankFlow {
  readonly run: string;
  /** Which of the run's flows: its jobs are named by it. */
  readonly flow: number;
  readonly ranges: readonly number[];
}

/** How a run's flow of jobs is: `missing` when there is none of that number, or none that will ever end. */
export type FlowState = 'alive' | 'missing';

/** The queue as tending sees it. */
export interface RerankJobs {
  stateOf(run: string, flow: number): Promise<FlowState>;
  /** Makes the jobs of a flow; those that exist are left as they are. */
  add(flow: RerankFlow): Promise<void>;
}

/**
 * Gives the run under way its jobs, whatever became of those it had; says of runs that the root no longer has what became
 * of them; and clears away what nobody needs. Safe to repeat, and to be done by several at once.
 */
export async function tendRerank(context: RankingContext, jobs: RerankJobs): Promise<void> {
  const { stores, clock, reach } = context;
  const root = await stores.board.read();
  if (root === null) return;
  await tendUnderWay(context, root, jobs);
  for (const run of await stores.rerankRuns.open()) {
    if (run._id !== root.rerank?.run) await settleRun(context, root, run);
  }
  for (const id of await stores.rerankParts.runs()) {
    if ((await stores.rerankRuns.find(id))?.state !== 'running') await stores.rerankParts.remove(id);
  }
  await stores.rerankRuns.removeEndedBefore(new Date(clock() - KEPT_RUNS_MS));
  await tendTrail(context, root);
  await reach('tend.ended');
}

async function tendUnderWay(context: RankingContext, root: RootDocument, jobs: RerankJobs): Promise<void> {
  if (root.rerank === undefined || root.rerank === null) return;
  const run = await context.stores.rerankRuns.find(root.rerank.run);
  if (run?.state === 'running') await tendFlow(context, jobs, run);
  // Whoever ended it died before the root knew.
  else await endRerank(context, root.rerank.run, { state: run?.state ?? 'failed' });
}

async function tendFlow(context: RankingContext, jobs: RerankJobs, run: RerankRunDocument): Promise<void> {
  const { stores, report } = context;
  const scored = new Set(await stores.rerankParts.scored(run._id));
  report.reranking({ kind: run.kind, methodology: run.methodology, scored: scored.size, ranges: run.ranges });
  if (run.flow > 0 && (await jobs.stateOf(run._id, run.flow)) === 'alive') return;
  if (run.flow >= MAX_FLOWS) {
    await endRerank(context, run._id, { state: 'failed', error: `its jobs were lost or failed ${run.flow} times` });
    return;
  }
  if (!(await stores.rerankRuns.replaceFlow(run._id, run.flow))) return;
  const ranges = Array.from({ length: run.ranges }, (_, range) => range).filter((range) => !scored.has(range));
  await jobs.add({ run: run._id, flow: run.flow + 1, ranges });
}

/** Says what became of a run that the root does not have: its starter, or whoever ended it, may have died in between. */
async function settleRun(context: RankingContext, root: RootDocument, run: RerankRunDocument): Promise<void> {
  const { stores, clock } = context;
  if ((root.switches ?? []).some((one) => one.run === run._id)) return endSwitched(context, run);
  if (clock() - run.started_at.getTime() < SETTLING_MS) return;
  const end = { state: 'cancelled', error: null, report: null, ended_at: new Date(clock()) } as const;
  await stores.rerankRuns.end(run._id, end);
}

/** Forgets of the trail what neither the run under way nor a rollback needs, and keeps the rest in few entries. */
async function tendTrail(context: RankingContext, root: RootDocument): Promise<void> {
  const { stores, clock, reach } = context;
  const isOver = (root.former?.until.getTime() ?? Number.POSITIVE_INFINITY) <= clock();
  if (isOver && (await stores.board.advance(root, { former: null })) === null) return;
  const run = root.rerank?.version ?? root.version;
  const former = isOver ? root.version : (root.former?.version ?? root.version);
  await stores.changeTrail.forget(Math.min(run, former));
  await stores.changeTrail.gather(run, TRAIL_ENTRIES);
  await reach('tend.trail_gathered');
}

import type { RankingContext } from '../context.ts';
import type { ManifestDocument } from '../storage/documents.ts';
import type { RerankRunDocument } from '../storage/rerank-documents.ts';
import { endRerank } from './end-rerank.ts';
import { endSwitched } from './finish-rerank.ts';

/** Entries of the trail before they are gathered into one. */
const CATCH_UP_ENTRIES = 500;
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
export async function superviseRerank(context: RankingContext, jobs: RerankJobs): Promise<void> {
  const { stores, clock, failpoint } = context;
  const manifest = await stores.board.read();
  if (manifest === null) return;
  await superviseUnderWay(context, manifest, jobs);
  for (const run of await stores.rerankRuns.open()) {
    if (run._id !== manifest.rerank?.run) await settleRun(context, manifest, run);
  }
  for (const id of await stores.rerankParts.runs()) {
    if ((await stores.rerankRuns.find(id))?.state !== 'running') await stores.rerankParts.remove(id);
  }
  await stores.rerankRuns.removeEndedBefore(new Date(clock() - KEPT_RUNS_MS));
  await trimCatchUpLog(context, manifest);
  await failpoint('supervise.ended');
}

async function superviseUnderWay(context: RankingContext, manifest: ManifestDocument, jobs: RerankJobs): Promise<void> {
  if (manifest.rerank === undefined || manifest.rerank === null) return;
  const run = await context.stores.rerankRuns.find(manifest.rerank.run);
  if (run?.state === 'running') await superviseFlow(context, jobs, run);
  // Whoever ended it died before the root knew.
  else await endRerank(context, manifest.rerank.run, { state: run?.state ?? 'failed' });
}

async function superviseFlow(context: RankingContext, jobs: RerankJobs, run: RerankRunDocument): Promise<void> {
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
async function settleRun(context: RankingContext, manifest: ManifestDocument, run: RerankRunDocument): Promise<void> {
  const { stores, clock } = context;
  if ((manifest.switches ?? []).some((one) => one.run === run._id)) return endSwitched(context, run);
  if (clock() - run.started_at.getTime() < SETTLING_MS) return;
  const end = { state: 'cancelled', error: null, report: null, ended_at: new Date(clock()) } as const;
  await stores.rerankRuns.end(run._id, end);
}

/** Forgets of the trail what neither the run under way nor a rollback needs, and keeps the rest in few entries. */
async function trimCatchUpLog(context: RankingContext, manifest: ManifestDocument): Promise<void> {
  const { stores, clock, failpoint } = context;
  const isOver = (manifest.former?.until.getTime() ?? Number.POSITIVE_INFINITY) <= clock();
  if (isOver && (await stores.board.advance(manifest, { former: null })) === null) return;
  const run = manifest.rerank?.version ?? manifest.version;
  const former = isOver ? manifest.version : (manifest.former?.version ?? manifest.version);
  await stores.catchUpLog.remove(Math.min(run, former));
  await stores.catchUpLog.compact(run, CATCH_UP_ENTRIES);
  await failpoint('supervise.catch_up_trimmed');
}

import { DAY_MS } from '../../../config/units.ts';
import type { RankingContext } from '../context.ts';
import type { ManifestDocument } from '../storage/board-manifest.ts';
import type { RerankRunDocument } from '../storage/reranks.ts';
import { endRerank } from './end-rerank.ts';
import { endSwitched } from './finish-rerank.ts';

/** Number of catch-up log entries above which they are merged into one. */
const CATCH_UP_ENTRIES = 500;
/** How long ended runs are kept. */
const KEPT_RUNS_MS = 400 * DAY_MS;
/** A younger run may not be in the manifest yet. */
const SETTLING_MS = 60_000;
/** Flows of a run before it fails: each was lost, or had a job that failed finally. */
const MAX_FLOWS = 50;

/** A flow of jobs for a run: one for each range that is not scored, and one that finishes the run. */
export interface RerankFlow {
  readonly run: string;
  /** The flow's number within the run, which is part of its job ids. */
  readonly flow: number;
  readonly ranges: readonly number[];
}

/** `missing`: there is no such flow, or it can no longer complete. */
export type FlowState = 'alive' | 'missing';

/** The queue operations of the supervisor. */
export interface RerankJobs {
  stateOf(run: string, flow: number): Promise<FlowState>;
  /** Creates the jobs of a flow; existing ones stay unchanged. */
  add(flow: RerankFlow): Promise<void>;
}

/**
 * Ensures that the current run has jobs, even when its earlier ones were lost; records the outcome of runs that are no longer
 * in the manifest; and deletes obsolete data. Safe to repeat, and to run in several processes concurrently.
 */
export async function superviseRerank(context: RankingContext, jobs: RerankJobs): Promise<void> {
  const { stores, clock, failpoint } = context;
  const manifest = await stores.board.read();
  if (manifest === null) return;
  await superviseCurrentRun(context, manifest, jobs);
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

async function superviseCurrentRun(
  context: RankingContext,
  manifest: ManifestDocument,
  jobs: RerankJobs,
): Promise<void> {
  if (manifest.rerank === undefined || manifest.rerank === null) return;
  const run = await context.stores.rerankRuns.find(manifest.rerank.run);
  if (run?.state === 'running') await superviseFlow(context, jobs, run);
  // The process that ended it died before it advanced the manifest.
  else await endRerank(context, manifest.rerank.run, { state: run?.state ?? 'failed' });
}

async function superviseFlow(context: RankingContext, jobs: RerankJobs, run: RerankRunDocument): Promise<void> {
  const { stores, report } = context;
  const scored = new Set(await stores.rerankParts.scored(run._id));
  report.reranking?.({ kind: run.kind, methodology: run.methodology, scored: scored.size, ranges: run.ranges });
  if (run.flow > 0 && (await jobs.stateOf(run._id, run.flow)) === 'alive') return;
  if (run.flow >= MAX_FLOWS) {
    await endRerank(context, run._id, { state: 'failed', error: `its jobs were lost or failed ${run.flow} times` });
    return;
  }
  if (!(await stores.rerankRuns.replaceFlow(run._id, run.flow))) return;
  const ranges = Array.from({ length: run.ranges }, (_, range) => range).filter((range) => !scored.has(range));
  await jobs.add({ run: run._id, flow: run.flow + 1, ranges });
}

/** Records the outcome of a run that is not in the manifest: the process that started or ended it died in between. */
async function settleRun(context: RankingContext, manifest: ManifestDocument, run: RerankRunDocument): Promise<void> {
  const { stores, clock } = context;
  if ((manifest.switches ?? []).some((one) => one.run === run._id)) return endSwitched(context, run);
  if (clock() - run.started_at.getTime() < SETTLING_MS) return;
  const end = { state: 'cancelled', error: null, report: null, ended_at: new Date(clock()) } as const;
  await stores.rerankRuns.end(run._id, end);
}

/** Deletes catch-up log entries that neither the current run nor a rollback needs, and merges the rest into few entries. */
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

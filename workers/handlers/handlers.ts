import { UnrecoverableError } from 'bullmq';
import { z } from 'zod';
import type { BatchVerdict, RerankOutcome } from '../../engine/ranking/index.ts';
import {
  ensureBatchJob,
  ensureBillingEventJob,
  JOBS,
  type JobName,
  type Payload,
} from '../../ops/runtime/queues/index.ts';
import { createRerankJobs } from '../rerank-jobs.ts';
import type { HandlerContext, Run } from './context.ts';
import { mailCases } from './mail-cases.ts';
import { maintainAccounts } from './maintain-accounts.ts';
import { sendLetters } from './send-letters.ts';

/** Does a job's work; throws to fail the run. */
type Handler = (context: HandlerContext, data: unknown, run: Run) => Promise<unknown>;

/** Creates a handler that parses its payload. An invalid payload fails permanently, to be inspected. */
function parsing<Schema extends z.ZodType>(
  { schema }: { readonly schema: Schema },
  work: (context: HandlerContext, payload: z.output<Schema>, run: Run) => Promise<unknown>,
): Handler {
  return async (context, data, run) => {
    const parsed = schema.safeParse(data);
    if (!parsed.success) throw new UnrecoverableError(`not the job's payload: ${z.prettifyError(parsed.error)}`);
    return work(context, parsed.data, run);
  };
}

/** Processes one batch; on the last attempt entry by entry, so that only the entry at fault fails. */
export async function processBatch(
  { ranking }: Pick<HandlerContext, 'ranking'>,
  { batch, entries }: Payload<'process-batch'>,
  { isLast }: Pick<Run, 'isLast'>,
): Promise<BatchVerdict> {
  const logged = entries ?? (await ranking.log.ofBatch(batch));
  return isLast ? ranking.processBatchByEntry(batch, logged) : ranking.processBatch(batch, logged);
}

/** Queues events that lost their job, removes old ones, and deletes erased accounts at Stripe. */
export async function maintainBilling({ billing, queues }: Pick<HandlerContext, 'billing' | 'queues'>): Promise<void> {
  if (billing.card === null) return;
  const { events, deleteForgotten } = billing.card;
  for (const event of await events.waiting()) await ensureBillingEventJob(queues, event);
  await events.deleteOld();
  await deleteForgotten();
}

/** Opens and closes the cases of rules, and counts all cases. */
export async function maintainIntegrity({
  ranking,
  accounts,
  integrityMetrics,
}: Pick<HandlerContext, 'ranking' | 'accounts' | 'integrityMetrics'>): Promise<void> {
  await ranking.maintainIntegrity(accounts.cases.recordFindings);
  integrityMetrics.counted(await accounts.cases.counts());
}

/** Finishes a re-rank whose ranges are scored. Fails when a range is missing: the run then gets new jobs. */
export async function switchMethodology(
  { ranking }: Pick<HandlerContext, 'ranking'>,
  { run }: Payload<'rerank-switch'>,
): Promise<RerankOutcome> {
  const outcome = await ranking.rerank.finish(run);
  if (outcome === 'incomplete') throw new Error(`ranges of run ${run} are not scored`);
  return outcome;
}

/** The handler of every job in the catalog. */
export const HANDLERS: Readonly<Record<JobName, Handler>> = {
  'process-batch': parsing(JOBS['process-batch'], processBatch),
  'advance-hour': parsing(JOBS['advance-hour'], ({ ranking }) => ranking.advanceHour()),
  'reconcile-log': parsing(JOBS['reconcile-log'], ({ ranking, queues }) =>
    ranking.reconcileLog((batch) => ensureBatchJob(queues, batch)),
  ),
  'reconcile-operators': parsing(JOBS['reconcile-operators'], ({ ranking }) => ranking.reconcileOperators()),
  'collect-garbage': parsing(JOBS['collect-garbage'], ({ ranking }) => ranking.collectGarbage()),
  'retain-log': parsing(JOBS['retain-log'], ({ ranking }) => ranking.repair.retainLog()),
  'maintain-accounts': parsing(JOBS['maintain-accounts'], async (context) => {
    await maintainAccounts(context);
    await mailCases(context);
  }),
  'finish-seasons': parsing(JOBS['finish-seasons'], ({ accounts, ranking }) =>
    accounts.leagues.finishSeasons(ranking.finalSeason),
  ),
  'send-letters': parsing(JOBS['send-letters'], (context, _, run) => sendLetters(context, run)),
  'maintain-integrity': parsing(JOBS['maintain-integrity'], maintainIntegrity),
  // Without Stripe there are no events and nothing to compare.
  'apply-billing-event': parsing(JOBS['apply-billing-event'], async ({ billing }, { event }) =>
    billing.card?.events.apply(event),
  ),
  'maintain-billing': parsing(JOBS['maintain-billing'], maintainBilling),
  'maintain-purchases': parsing(JOBS['maintain-purchases'], ({ purchases }) => purchases.maintain()),
  'compare-billing': parsing(JOBS['compare-billing'], async ({ billing }) => billing.card?.compare()),
  'rank-platforms': parsing(JOBS['rank-platforms'], ({ ranking }, _, { signal }) => ranking.platforms.rank(signal)),
  // Without a folder there is no archive.
  'write-archive': parsing(JOBS['write-archive'], async ({ ranking, archive }, _, { signal }) =>
    archive === null ? undefined : ranking.archive.write(archive, signal),
  ),
  'blank-archive': parsing(JOBS['blank-archive'], async ({ ranking, archive }, _, { signal }) =>
    archive === null ? undefined : ranking.archive.blankErased(archive, signal),
  ),
  'supervise-rerank': parsing(JOBS['supervise-rerank'], ({ ranking, queues }) =>
    ranking.rerank.supervise(createRerankJobs(queues)),
  ),
  'rerank-range': parsing(JOBS['rerank-range'], ({ ranking }, { run, range }) => ranking.rerank.scoreRange(run, range)),
  'rerank-switch': parsing(JOBS['rerank-switch'], switchMethodology),
};

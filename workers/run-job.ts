import { DelayedError, type Job } from 'bullmq';
import { MS_PER_SECOND } from '../config/units.ts';
import { isJobName, JOBS, type JobName } from '../ops/runtime/queues/index.ts';
import type { HandlerContext } from './handlers/context.ts';
import { HANDLERS } from './handlers/handlers.ts';

/** Delay before a job unknown to this release is offered again to any worker. */
const UNKNOWN_DELAY_MS = 5_000;

/** One run of a job. */
export interface JobRun {
  readonly job: Job;
  /** Lock token of this worker for the job. */
  readonly token: string | undefined;
  /** The scheduled jobs that run in this process. */
  readonly running: Set<JobName>;
  /** Called for a job that this release does not know. */
  readonly onUnknown: (job: Job) => void;
  /** Aborted when the process closes. */
  readonly closing?: AbortSignal;
  /** Replaces the catalog's timeout; tests lower it. */
  readonly timeoutMs?: number;
}

/** What a run of a schedule returns while another one runs in this process: one that hangs must not take every place. */
export const SKIPPED = 'skipped';

/** Delays an unknown job without counting an attempt: during a rollout, workers of both releases take jobs. */
export async function runJob(context: HandlerContext, given: JobRun): Promise<unknown> {
  const { job, token, onUnknown, running, closing } = given;
  if (!isJobName(job.name)) {
    onUnknown(job);
    await job.moveToDelayed(Date.now() + UNKNOWN_DELAY_MS, token);
    throw new DelayedError();
  }
  const { name } = job;
  const { attempts, everyMs } = JOBS[name];
  if (everyMs !== null && running.has(name)) return SKIPPED;
  const { timeoutMs = JOBS[name].timeoutMs } = given;
  const isLast = job.attemptsMade + 1 >= (job.opts.attempts ?? attempts);
  const abort = new AbortController();
  const onClosing = (): void => abort.abort();
  closing?.addEventListener('abort', onClosing);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`${name} took longer than ${timeoutMs / MS_PER_SECOND} s`);
    timer = setTimeout(() => {
      reject(error);
      abort.abort(error);
    }, timeoutMs);
  });
  if (everyMs !== null) running.add(name);
  try {
    return await Promise.race([HANDLERS[name](context, job.data, { isLast, signal: abort.signal }), late]);
  } finally {
    clearTimeout(timer);
    closing?.removeEventListener('abort', onClosing);
    running.delete(name);
  }
}

import type { BatchVerdict } from '../../engine/ranking/index.ts';
import type { Payload } from '../../ops/runtime/queues/index.ts';
import type { HandlerContext, Run } from './context.ts';

/** Processes one batch; on the last attempt entry by entry, so that only the entry at fault fails. */
export async function processBatch(
  { ranking }: Pick<HandlerContext, 'ranking'>,
  { batch, entries }: Payload<'process-batch'>,
  { isLast }: Run,
): Promise<BatchVerdict> {
  const logged = entries ?? (await ranking.log.ofBatch(batch));
  return isLast ? ranking.processBatchByEntry(batch, logged) : ranking.processBatch(batch, logged);
}

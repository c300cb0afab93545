import type { RerankOutcome } from '../../engine/ranking/index.ts';
import type { Payload } from '../../ops/runtime/queues/index.ts';
import type { HandlerContext } from './context.ts';

/** Finishes a re-rank whose ranges are scored. Fails when a range is missing: the run then gets new jobs. */
export async function switchMethodology(
  { ranking }: Pick<HandlerContext, 'ranking'>,
  { run }: Payload<'rerank-switch'>,
): Promise<RerankOutcome> {
  const outcome = await ranking.rerank.finish(run);
  if (outcome === 'incomplete') throw new Error(`ranges of run ${run} are not scored`);
  return outcome;
}

import type { FlowState, RerankFlow, RerankJobs } from '../engine/ranking/index.ts';
import { jobOptions, type Payload, type Queues } from '../ops/runtime/queues/index.ts';

/** States in which the last job of a flow will still run. */
const TO_RUN: ReadonlySet<string> = new Set(['waiting', 'active', 'delayed', 'prioritized']);

function switchId(run: string, flow: number): string {
  return `${run}-${flow}`;
}

/** The jobs of a re-rank: one per range, and one that waits for all of them. */
export function createRerankJobs({ rerank, flows }: Pick<Queues, 'rerank' | 'flows'>): RerankJobs {
  return {
    async stateOf(run, flow): Promise<FlowState> {
      const state = await (await rerank.getJob(switchId(run, flow)))?.getState();
      if (state === undefined) return 'missing';
      if (state !== 'waiting-children') return TO_RUN.has(state) ? 'alive' : 'missing';
      // Its children may be missing. If any job of the queue is live, it counts as live.
      const counts = await rerank.getJobCounts('waiting', 'active', 'delayed', 'prioritized');
      return Object.values(counts).some((count) => count > 0) ? 'alive' : 'missing';
    },

    async add({ run, flow, ranges }: RerankFlow): Promise<void> {
      const end: Payload<'rerank-switch'> = { run };
      await flows.add({
        name: 'rerank-switch',
        queueName: 'rerank',
        data: end,
        opts: { ...jobOptions('rerank-switch'), jobId: switchId(run, flow) },
        children: ranges.map((range) => ({
          name: 'rerank-range',
          queueName: 'rerank',
          data: { run, range } satisfies Payload<'rerank-range'>,
          opts: {
            ...jobOptions('rerank-range'),
            jobId: `${switchId(run, flow)}-${range}`,
            failParentOnFailure: true,
          },
        })),
      });
    },
  };
}

import type { Ranking, RerankFlow, RerankJobs } from '../../engine/ranking/index.ts';

/** Jobs of a re-rank that are kept in this process until the test runs or drops them. */
export interface InlineJobs extends RerankJobs {
  readonly flows: RerankFlow[];
  /** Runs what is there through an engine, in any order the caller wants; a finished flow is no longer there. */
  work(engine: Ranking): Promise<void>;
  /** Drops everything, like an emptied Redis. */
  lose(): void;
}

export function inlineJobs(): InlineJobs {
  const flows: RerankFlow[] = [];
  return {
    flows,
    stateOf: async (run, flow) =>
      flows.some((known) => known.run === run && known.flow === flow) ? 'alive' : 'missing',
    add: async (flow) => void flows.push(flow),
    async work(engine) {
      for (let flow = flows.shift(); flow !== undefined; flow = flows.shift()) {
        for (const range of flow.ranges) await engine.rerank.scoreRange(flow.run, range);
        await engine.rerank.finish(flow.run);
      }
    },
    lose: () => void flows.splice(0),
  };
}

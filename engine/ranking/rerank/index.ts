import type { RankingContext } from '../context.ts';
import { cancelRerank } from './end-rerank.ts';
import { finishRerank } from './finish-rerank.ts';
import { rerankStatus } from './rerank-status.ts';
import { rollBack } from './roll-back.ts';
import { scoreRange } from './score-range.ts';
import { type RerankRequest, startRerank } from './start-rerank.ts';
import { type RerankJobs, superviseRerank } from './supervise-rerank.ts';

export type { Comparison, Mover } from '../core/compare-windows.ts';
export type { RerankOutcome } from './finish-rerank.ts';
export type { NamedComparison, NamedMover, RerankStatus, RunStatus } from './rerank-status.ts';
export type { Rollback } from './roll-back.ts';
export type { RangeOutcome } from './score-range.ts';
export { OPERATORS_PER_RANGE, type RerankRequest, type RerankStart } from './start-rerank.ts';
export type { FlowState, RerankFlow, RerankJobs } from './supervise-rerank.ts';

/** Re-ranks: changes of the board's methodology. */
export function createRerank(context: RankingContext) {
  return {
    start: (request: RerankRequest) => startRerank(context, request),
    scoreRange: (run: string, range: number) => scoreRange(context, run, range),
    finish: (run: string) => finishRerank(context, run),
    supervise: (jobs: RerankJobs) => superviseRerank(context, jobs),
    cancel: () => cancelRerank(context),
    rollBack: () => rollBack(context),
    status: () => rerankStatus(context),
  };
}

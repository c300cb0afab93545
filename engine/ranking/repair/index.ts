import type { RankingContext } from '../context.ts';
import type { Finding } from './findings.ts';
import { recomputeOperators } from './recompute-operators.ts';
import { repairBoard } from './repair-board.ts';
import { retainLog } from './retain-log.ts';
import { verifyBoard } from './verify-board.ts';
import { verifyHistory } from './verify-history.ts';
import { verifySamples } from './verify-samples.ts';
import { selectEntries, type VoidSelection, voidEntries } from './void-entries.ts';

export type { Finding } from './findings.ts';
export type { Repair } from './repair-board.ts';
export type { Voiding, VoidSelection } from './void-entries.ts';

/** How far a verification has come: operators, or kept boards, of all there are. */
export interface VerifyStep {
  readonly step: 'samples' | 'board' | 'history';
  readonly done: number;
  readonly of: number;
}

/** What operators' commands ask of the engine when something is wrong, and what keeps the log in bounds. */
export function createRepair(context: RankingContext, firstMethodology: number) {
  return {
    /** Marks, the board, and kept boards, each against what it was made of. */
    async verify(onStep: (step: VerifyStep) => void = () => undefined): Promise<readonly Finding[]> {
      const operators = await context.stores.operators.count();
      const samples = await verifySamples(context, (done) => onStep({ step: 'samples', done, of: operators }));
      // A record that is wrong itself says nothing of the board.
      const distrusted = new Set(samples.flatMap(({ operator }) => operator ?? []));
      onStep({ step: 'board', done: 0, of: 1 });
      const board = await verifyBoard(context, distrusted);
      const history = await verifyHistory(context, (done, of) => onStep({ step: 'history', done, of }));
      return [...samples, ...board, ...history];
    },
    /** The board alone. */
    verifyBoard: () => verifyBoard(context, new Set()),
    /** Operators with snapshots that were decided at or after a moment (milliseconds since the epoch). */
    processedSince: (since: number) => processedSince(context, since),
    /** `onDone` is told how many operators are folded anew, some at a time. */
    repair: (findings: readonly Finding[], onDone?: (operators: number) => void) =>
      repairBoard(context, findings, firstMethodology, onDone),
    /** Folds operators anew from the log; answers those that are not gone. */
    recomputeAll: (operators: readonly number[], onDone?: (operators: number) => void) =>
      recomputeOperators(context, operators, onDone),
    /** The same of one; false when it is gone. */
    recompute: async (operator: number) => (await recomputeOperators(context, [operator])).has(operator),
    /** The groups of the entries that a selection names. */
    async batchesOf(operator: number, selection: VoidSelection): Promise<readonly string[]> {
      return [...new Set((await selectEntries(context, operator, selection)).map(({ batch }) => batch))];
    },
    void: (operator: number, selection: VoidSelection) => voidEntries(context, operator, selection),
    retainLog: () => retainLog(context),
  };
}

/** Groups looked up by one command. */
const BATCHES_A_READ = 500;

async function processedSince({ stores }: RankingContext, since: number): Promise<readonly number[]> {
  const batches = await stores.verdicts.decidedSince(new Date(since));
  const operators = new Set<number>();
  for (let from = 0; from < batches.length; from += BATCHES_A_READ) {
    for (const operator of await stores.operatorLog.operatorsIn(batches.slice(from, from + BATCHES_A_READ))) {
      operators.add(operator);
    }
  }
  return [...operators];
}

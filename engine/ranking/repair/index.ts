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

/** Progress of a verification: `done` of `of` operators, or kept boards. */
export interface VerifyStep {
  readonly step: 'samples' | 'board' | 'history';
  readonly done: number;
  readonly of: number;
}

/** Verification, repair and retention of the ranking engine's data. */
export function createRepair(context: RankingContext, firstMethodology: number) {
  return {
    /** Verifies samples, the board and kept boards against their sources. */
    async verify(onStep: (step: VerifyStep) => void = () => undefined): Promise<readonly Finding[]> {
      const operators = await context.stores.operators.count();
      const samples = await verifySamples(context, (done) => onStep({ step: 'samples', done, of: operators }));
      // A damaged record is no evidence against the board.
      const distrusted = new Set(samples.flatMap(({ operator }) => operator ?? []));
      onStep({ step: 'board', done: 0, of: 1 });
      const board = await verifyBoard(context, distrusted);
      const history = await verifyHistory(context, (done, of) => onStep({ step: 'history', done, of }));
      return [...samples, ...board, ...history];
    },
    /** Verifies only the board. */
    verifyBoard: () => verifyBoard(context, new Set()),
    /** Operators with snapshots decided at or after a time (milliseconds since the epoch). */
    processedSince: (since: number) => processedSince(context, since),
    /** Calls `onDone` with the number of recomputed operators after each round. */
    repair: (findings: readonly Finding[], onDone?: (operators: number) => void) =>
      repairBoard(context, findings, firstMethodology, onDone),
    /** Recomputes operators from the log; returns those that exist. */
    recomputeAll: (operators: readonly number[], onDone?: (operators: number) => void) =>
      recomputeOperators(context, operators, onDone),
    /** Recomputes one operator; false when it does not exist or was erased. */
    recompute: async (operator: number) => (await recomputeOperators(context, [operator])).has(operator),
    /** The batches of the selected entries. */
    async batchesOf(operator: number, selection: VoidSelection): Promise<readonly string[]> {
      return [...new Set((await selectEntries(context, operator, selection)).map(({ batch }) => batch))];
    },
    void: (operator: number, selection: VoidSelection) => voidEntries(context, operator, selection),
    retainLog: () => retainLog(context),
  };
}

/** Batches per read command. */
const BATCHES_A_READ = 500;

async function processedSince({ stores }: RankingContext, since: number): Promise<readonly number[]> {
  const batches = await stores.verdicts.decidedSince(new Date(since));
  const operators = new Set<number>();
  for (let from = 0; from < batches.length; from += BATCHES_A_READ) {
    for (const operator of await stores.log.operatorsIn(batches.slice(from, from + BATCHES_A_READ))) {
      operators.add(operator);
    }
  }
  return [...operators];
}

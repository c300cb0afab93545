import type { RankingContext } from '../context.ts';
import type { Finding } from './findings.ts';
import { verifyHistory } from './stored-base-run.ts';
import { verifyBoard } from './verify-board.ts';
import { verifySamples } from './verify-samples.ts';

/** Progress of a verification: `done` of `of` operators, or kept boards. */
export interface VerifyStep {
  readonly step: 'samples' | 'board' | 'history';
  readonly done: number;
  readonly of: number;
  /** Operators that are not compared, because snapshots of theirs have no verdict yet. */
  readonly undecided?: number;
}

/** Verifies samples, the board and kept boards against their sources. */
export async function verify(
  context: RankingContext,
  onStep: (step: VerifyStep) => void = () => undefined,
): Promise<readonly Finding[]> {
  const operators = await context.stores.operators.count();
  const undecided = new Set<number>();
  const samples = await verifySamples(context, undecided, (done) =>
    onStep({ step: 'samples', done, of: operators, undecided: undecided.size }),
  );
  // A record that is damaged or about to change is no evidence against the board.
  const distrusted = new Set([...undecided, ...samples.flatMap(({ operator }) => operator ?? [])]);
  onStep({ step: 'board', done: 0, of: 1 });
  const board = await verifyBoard(context, distrusted);
  const history = await verifyHistory(context, (done, of) => onStep({ step: 'history', done, of }));
  return [...samples, ...board, ...history];
}

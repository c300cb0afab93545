import type { RankingContext } from '../context.ts';
import type { Finding } from './findings.ts';
import { verifyHistory } from './stored-base-run.ts';
import { verifyBoard } from './verify-board.ts';
import { verifyPlatforms } from './verify-platforms.ts';
import { verifySamples } from './verify-samples.ts';

/** Progress of a verification: `done` of `of` operators, or boards. */
export interface VerifyStep {
  readonly step: 'samples' | 'board' | 'history' | 'platforms';
  readonly done: number;
  readonly of: number;
  /** Operators that are not compared, because snapshots of theirs have no verdict yet. */
  readonly undecided?: number;
  /** Whether the boards of platforms were recomputed: see `PlatformFindings`. */
  readonly isExact?: boolean;
}

/** Verifies samples, the board, kept boards and those of platforms against their sources. */
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
  const platforms = await verifyPlatforms(context, distrusted.size === 0);
  onStep({ step: 'platforms', done: 1, of: 1, isExact: platforms.isExact });
  return [...samples, ...board, ...history, ...platforms.findings];
}

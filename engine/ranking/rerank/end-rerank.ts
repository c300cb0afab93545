import type { RankingContext } from '../context.ts';
import type { RerankRunDocument } from '../storage/reranks.ts';

type Ending = Pick<RerankRunDocument, 'state' | 'error' | 'report'>;

/** Ends a run and records its outcome. False when the manifest does not have it: it switched the board, or ended. */
export async function endRerank(
  { stores, clock, failpoint }: RankingContext,
  run: string,
  ending: Partial<Ending> & Pick<Ending, 'state'>,
): Promise<boolean> {
  for (;;) {
    const manifest = await stores.board.read();
    if (manifest?.rerank?.run !== run) return false;
    if ((await stores.board.advance(manifest, { rerank: null })) === null) continue;
    await failpoint('rerank.taken_off');
    await stores.rerankRuns.end(run, { error: null, report: null, ...ending, ended_at: new Date(clock()) });
    return true;
  }
}

/** Cancels the current run before it switches the board; returns its id, or null when there is none. */
export async function cancelRerank(context: RankingContext): Promise<string | null> {
  for (;;) {
    const run = (await context.stores.board.read())?.rerank?.run;
    if (run === undefined) return null;
    if (await endRerank(context, run, { state: 'cancelled' })) return run;
  }
}

import { WINDOWS } from '../../../engine/contract/index.ts';
import { type Connection, openMongo } from '../../../engine/mongo/index.ts';
import { readTable } from '../../../engine/ranking/board/read-table.ts';
import { publishedYield, rankOfYield } from '../../../engine/ranking/read/board-ranks.ts';
import { type BoardState, stateOf } from '../../../engine/ranking/read/board-state.ts';
import { createPageCache } from '../../../engine/ranking/read/page-cache.ts';
import { openStores } from '../../../engine/ranking/storage/stores.ts';
import { createOperatorChanger } from '../commit/change-operators.ts';
import type { BenchContext } from '../frame/bench.ts';
import { openRanking, rethrow } from '../frame/open-ranking.ts';

/** A changed operator with its Yield in each window. */
export interface ChangedOperator {
  readonly operator: number;
  readonly yields: readonly number[];
}

const ALL_TIME = WINDOWS.indexOf('all_time');

/** The board: changes reach it by commits, and a reader that follows it returns ranks. */
export async function openBoardStream(context: BenchContext, mongoUrl: string, operators: number) {
  const connection = await openMongo(mongoUrl);
  context.onClose(() => connection.close());
  const changer = createOperatorChanger();
  const ranking = openRanking(connection, { deviceKeys: changer.deviceKeys });
  const committer = ranking.createCommitter(() => undefined, rethrow);
  context.onClose(() => committer.close());
  const reader = await openReader(connection);
  return {
    /** The Yields of every operator, by number and window. */
    yields: reader.table,
    /** The Yields of operators on the board, for the peer. */
    standings: (changed: readonly number[]) => reader.standings(changed),
    /** Processes `count` snapshots, so that a commit is due; not measured. Returns the operators. */
    change: (count: number) => changer.change(ranking, operators, count),
    /** Commits, and returns the reader's all-time ranks of the changed operators. */
    async commitAndRank(changed: readonly number[]): Promise<readonly number[]> {
      await committer.tick();
      return reader.ranks(changed);
    },
  };
}

/** A reader like the api's, queried by operator number: it uses the manifest, the delta and cached pages. */
async function openReader(connection: Connection) {
  const stores = openStores(connection);
  const pages = createPageCache(stores.parts);
  let state: BoardState | null = null;

  async function follow(): Promise<BoardState> {
    const manifest = await stores.board.read();
    const next = manifest === null ? null : await stateOf(stores.parts, manifest, state);
    if (next === null) throw new Error('the board could not be read');
    state = next;
    return next;
  }

  await follow();
  return {
    table: async () => (await readTable(stores.parts, await follow())).toArray(),
    async ranks(operators: readonly number[]): Promise<number[]> {
      const board = await follow();
      const ranks: number[] = [];
      for (const operator of operators) {
        const y = await publishedYield(pages, board, operator, ALL_TIME);
        ranks.push(await rankOfYield(pages, board, { operator, window: ALL_TIME, yield_: y }));
      }
      return ranks;
    },
    async standings(operators: readonly number[]): Promise<ChangedOperator[]> {
      const board = await follow();
      const standings: ChangedOperator[] = [];
      for (const operator of operators) {
        const windows = [...WINDOWS.keys()].map((window) => publishedYield(pages, board, operator, window));
        standings.push({ operator, yields: await Promise.all(windows) });
      }
      return standings;
    },
  };
}

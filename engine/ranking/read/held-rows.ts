import type { Missing } from '../../contract/unranked.ts';
import { rulesIn } from '../../integrity/index.ts';
import { methodologyOf, type RankingContext } from '../context.ts';
import { entriesOf, type UnplacedEntry } from '../core/entry.ts';
import { rankOfYield } from './board-ranks.ts';
import type { BoardState } from './board-state.ts';
import type { PageCache } from './page-cache.ts';
import { missingOf } from './profile.ts';

/** A row that is not settled yet. */
export type HeldRow = UnplacedEntry & {
  /** The rank that it would have. */
  readonly would_be: number;
  readonly missing: readonly Missing[];
};

/** The held rows with the highest Yields of a window, at most `limit`, and how many there are. */
export async function heldRowsOn(
  { context, pages }: { readonly context: RankingContext; readonly pages: PageCache },
  state: BoardState,
  window: number,
  limit: number,
): Promise<{ readonly total: number; readonly rows: readonly HeldRow[] }> {
  const { operators, heldRows } = context.stores;
  const methodology = methodologyOf(context, state.manifest);
  const [total, numbers] = await Promise.all([
    heldRows.count(methodology.id, window),
    heldRows.highest(methodology.id, window, limit),
  ]);
  const records = new Map((await operators.summaries(numbers)).map((summary) => [summary.operator, summary]));
  let gone = 0;
  const rows = await Promise.all(
    numbers.map(async (operator): Promise<HeldRow[]> => {
      const summary = records.get(operator);
      const made = summary?.listed === true ? entriesOf(summary, methodology)[window]! : null;
      // The record may be newer than the row. Of a rule that the public does not see, a row would tell.
      if (summary === undefined || !made?.held || rulesIn(made.result.mask).some(({ isPrivate }) => isPrivate)) {
        gone += 1;
        return [];
      }
      const would_be = await rankOfYield(pages, state, { operator, window, yield_: made.held.yield_ });
      return [{ ...made.held, would_be, missing: missingOf(summary, made.result, methodology) }];
    }),
  );
  return { total: total - gone, rows: rows.flat().sort((one, other) => other.yield_ - one.yield_) };
}

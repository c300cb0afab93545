import type { Connection } from '../../../../engine/mongo/index.ts';
import { WINDOW_COUNT } from '../../../../engine/ranking/core/board/index.ts';
import { readSlice } from '../../../../engine/ranking/read/board-ranks.ts';
import { stateOf } from '../../../../engine/ranking/read/board-state.ts';
import { createPageCache } from '../../../../engine/ranking/read/page-cache.ts';
import type { Stores } from '../../../../engine/ranking/storage/stores.ts';
import { naiveYield } from '../naive-scores.ts';
import type { LiveOperators } from './check-responses.ts';
import { type Entry, inBoardOrder, type NaivePopulation } from './naive-population.ts';

const COUNTS = 4;
const READ_ENTRIES = 20_000;

/** Counts of the submitting operators from the log: the maximum of each, because each has one stream and no refusals. */
export async function countsFromLog(connection: Connection, live: LiveOperators): Promise<readonly number[][]> {
  const counts = live.codenames.map(() => Array.from({ length: COUNTS }, () => 0));
  const places = new Map(live.codenames.map((codename, index) => [codename, index]));
  const log = connection.collection<{ _id: string; codename: string; counts: number[] }>('snapshots');
  for await (const { codename, counts: logged } of log.find({}, { projection: { codename: 1, counts: 1 } })) {
    const own = counts[places.get(codename) ?? -1];
    if (own === undefined) throw new Error(`${codename} is in the log but does not submit`);
    for (let at = 0; at < COUNTS; at++) own[at] = Math.max(own[at]!, logged[at]!);
  }
  const silent = counts.findIndex(([input]) => input === 0);
  if (silent >= 0) throw new Error(`${live.codenames[silent]} has not submitted: let the load run longer`);
  return counts;
}

/** Compares the published board, in all windows, with the population ranked by definition. @throws when they differ. */
export async function checkBoard(
  stores: Stores,
  methodology: number,
  population: NaivePopulation,
  live: { readonly first: number; readonly counts: readonly number[][] },
): Promise<void> {
  const manifest = await stores.board.read();
  const state = manifest === null ? null : await stateOf(stores.parts, manifest, null);
  if (manifest === null || state === null) throw new Error('the board could not be read');
  if (manifest.methodology !== methodology) throw new Error(`the board is of methodology ${manifest.methodology}`);
  const pages = createPageCache(stores.parts);
  const submitted = live.counts.map((counts, index) => ({
    operator: live.first + index,
    yield_: naiveYield(methodology, counts),
  }));
  for (let window = 0; window < WINDOW_COUNT; window++) {
    const expected = rankedEntries(population(methodology)[window]!.yields, submitted);
    let rank = 0;
    for (let from = 0; from <= expected.length; from += READ_ENTRIES) {
      const slice = await readSlice(pages, state, { window, offset: from, limit: READ_ENTRIES });
      for (const [index, entry] of slice.entries()) {
        const at = from + index;
        const known = expected[at];
        if (at === 0 || known?.yield_ !== expected[at - 1]?.yield_) rank = at + 1;
        if (entry.operator === known?.operator && entry.yield_ === known.yield_ && entry.rank === rank) continue;
        throw new Error(`place ${at} of window ${window} is ${JSON.stringify(entry)}, not ${JSON.stringify(known)}`);
      }
      const missing = Math.min(READ_ENTRIES, expected.length - from) - slice.length;
      if (missing !== 0) throw new Error(`window ${window} has ${-missing} entries too many from ${from} on`);
    }
  }
}

function rankedEntries(yields: Float64Array, submitted: readonly Entry[]): Entry[] {
  const entries = submitted.filter(({ yield_ }) => !Number.isNaN(yield_));
  for (const [operator, yield_] of yields.entries()) if (!Number.isNaN(yield_)) entries.push({ operator, yield_ });
  return entries.sort(inBoardOrder);
}

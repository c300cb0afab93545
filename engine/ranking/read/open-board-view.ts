import { byWindow, WINDOWS, type Window } from '../../contract/windows.ts';
import type { BoardView, CountFactors, SimulatedStanding } from '../board-view.ts';
import { largestBelow } from '../core/largest-below.ts';
import { nearestCodenames } from '../core/nearest-codenames.ts';
import { percentileOf, scoreOf, tierOf } from '../core/score.ts';
import { methodologyOf } from '../methodology-of.ts';
import type { OperatorSummary } from '../storage/operators.ts';
import { positionOf } from './board-position.ts';
import { countAbove, publishedYield, rankOfYield } from './board-ranks.ts';
import { lineOf, readRows } from './board-rows.ts';
import { type SliceParts, sliceOf } from './board-slice.ts';
import { type BoardState, rankedIn } from './board-state.ts';
import { profileOn } from './profile.ts';
import { rankedNames } from './ranked-names.ts';
import { countsOf } from './window-scores.ts';

/** Candidate codenames on each side, in code-unit order, of one that does not exist. */
const CANDIDATES_PER_SIDE = 16;

/** A view of one board version. Names, ratios and platforms come from the operators' current records. */
export function boardView(parts: SliceParts, state: BoardState): BoardView {
  const { context, pages, movements } = parts;
  const methodology = methodologyOf(context, state.manifest);
  const find = async (codename: string): Promise<OperatorSummary | null> => {
    const summary = await context.stores.operators.byCodename(codename);
    return summary?.listed === true ? summary : null;
  };
  return {
    view: {
      version: state.manifest.version,
      generatedAt: state.manifest.generated_at.getTime(),
      totals: byWindow((window) => state.manifest.totals[window] ?? 0),
    },
    methodology,
    async profile(codename) {
      const summary = await find(codename);
      return summary && profileOn(pages, movements, state, methodology, summary);
    },
    entries: (window, offset, limit) => sliceOf(parts, state, window, offset, limit),
    lines: async (window, offset, limit) => (await readRows(parts, state, window, offset, limit)).map(lineOf),
    rows: (window, offset, limit) => readRows(parts, state, window, offset, limit),
    async position(codename, window) {
      const summary = await find(codename);
      return summary && positionOf(pages, state, summary.operator, WINDOWS.indexOf(window));
    },
    highestNumber: () => context.stores.operators.highestNumber(),
    rankedNames: (from, until) => rankedNames(parts, state, from, until),
    countAtLeast: (window, yield_) => countAbove(pages, state, WINDOWS.indexOf(window), largestBelow(yield_)),
    async simulate(codename, window, changes) {
      const summary = await find(codename);
      return summary && Promise.all(changes.map((change) => simulate(parts, state, summary, window, change)));
    },
    async codenamesLike(codename, limit) {
      const around = await context.stores.operators.codenamesAround(codename, CANDIDATES_PER_SIDE);
      return nearestCodenames(codename.toLowerCase(), around, limit);
    },
  };
}

async function simulate(
  { context, pages }: SliceParts,
  state: BoardState,
  summary: OperatorSummary,
  name: Window,
  factors: CountFactors,
): Promise<SimulatedStanding | null> {
  const window = WINDOWS.indexOf(name);
  const methodology = methodologyOf(context, state.manifest);
  const { input, output, cache_read, cache_write } = countsOf(summary.totals, window);
  const totals = {
    input: input * factors.input,
    output: output * factors.output,
    cache_read: cache_read * factors.cache_read,
    cache_write,
  };
  const score = scoreOf(totals, methodology);
  if (score === null) return null;
  const rank = await rankOfYield(pages, state, summary.operator, window, score.yield_);
  const own = await publishedYield(pages, state, summary.operator, window);
  const total = rankedIn(state, window) + (Number.isNaN(own) ? 1 : 0);
  return { ...score, class_tier: tierOf(score.yield_, methodology), rank, percentile: percentileOf(rank, total) };
}

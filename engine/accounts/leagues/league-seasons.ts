import { DAY_MS } from '../../../config/units.ts';
import { insertUnlessTaken, newDocumentId } from '../../mongo/index.ts';
import { MAX_SEASON_AHEAD_DAYS, MAX_SEASONS_LISTED } from '../limits.ts';
import type { Models, SeasonDocument } from '../mongo/models.ts';

/** A season as it is stored, without rows; it is open while it has no final board, whose `methodology` is null until then. */
export type Season = Omit<SeasonDocument, 'rows'>;

/** The first day of a season to make, as a number of days since the epoch, and how many it has. */
export interface SeasonDays {
  readonly from: number;
  readonly days: number;
}

type Board = Pick<SeasonDocument, 'rows'> & { readonly methodology: number };

/** A season with the members of its league. */
type SeasonOf = Season & { readonly members: readonly number[]; readonly isPublic: boolean };

/** Seasons of leagues: one open one at a time. */
export function createSeasons(models: Pick<Models, 'leagues' | 'seasons'>, clock: () => number) {
  const { leagues, seasons } = models;
  const today = () => Math.floor(clock() / DAY_MS);
  return {
    /** Makes a season of a league, in place of one that has not begun. False for another day, and beside an open one. */
    async makeSeason({ _id: league }: { readonly _id: string }, { from, days }: SeasonDays): Promise<boolean> {
      if (from <= today() || from > today() + MAX_SEASON_AHEAD_DAYS) return false;
      await seasons.deleteOne({ league, from: { $gt: today() } });
      const season = { _id: newDocumentId(), league, from, until: from + days, methodology: null, rows: [] };
      return insertUnlessTaken(() => seasons.insertOne(season));
    },

    /** The newest seasons of a league, newest first. */
    seasonsOf: async ({ _id }: { readonly _id: string }): Promise<readonly Season[]> =>
      seasons.find({ league: _id }, { rows: 0 }).sort({ from: -1 }).limit(MAX_SEASONS_LISTED).lean(),

    /** The season of a league from a day, with its final board if there is one; null without a season. */
    async season(league: string, from: number) {
      const found = await seasons.findOne({ league, from }).lean();
      if (found === null) return null;
      const { until, methodology, rows } = found;
      return { from, until, board: methodology === null ? null : { methodology, rows } };
    },

    /** The seasons whose final boards have a row of an operator, which may have left the league since. */
    seasonsWith: async (operator: number): Promise<readonly SeasonDocument[]> =>
      seasons.find({ 'rows.operator': operator }).sort({ from: 1 }).lean(),

    /**
     * Keeps the final boards of seasons that are over, as soon as `boardOf` has them. Safe to repeat: the first board stays. A season
     * that fails holds up no other.
     */
    async finishSeasons(boardOf: (season: SeasonOf) => Promise<Board | null>): Promise<void> {
      const failures: unknown[] = [];
      for (const season of await seasons.find({ methodology: null, until: { $lte: today() } }).lean()) {
        try {
          const { members = [], visibility } = (await leagues.findById(season.league).lean()) ?? {};
          const numbers = members.map(({ operator }) => operator);
          const board = await boardOf({ ...season, members: numbers, isPublic: visibility === 'public' });
          if (board !== null) await seasons.updateOne({ _id: season._id, methodology: null }, { $set: board });
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw new AggregateError(failures, `${failures.length} seasons have no final board`);
    },
  };
}

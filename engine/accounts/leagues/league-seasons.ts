import { DAY_MS } from '../../../config/units.ts';
import { insertUnlessTaken, newDocumentId } from '../../mongo/index.ts';
import { MAX_SEASON_AHEAD_DAYS, MAX_SEASONS_LISTED } from '../limits.ts';
import type { Models, SeasonDocument } from '../mongo/models.ts';

/** A season as it is stored, without rows; it is open while it has no final board, whose `methodology` is null until then. */
export type Season = Omit<SeasonDocument, 'rows'>;

type Board = Pick<SeasonDocument, 'rows'> & { readonly methodology: number };

/** Makes the final board of a season with these members; null while it cannot be final. */
type MakeBoard = (
  season: Pick<Season, 'from' | 'until'> & { readonly members: readonly number[]; readonly isPublic: boolean },
) => Promise<Board | null>;

/** Seasons of leagues: one open one at a time. */
export function createSeasons(models: Pick<Models, 'leagues' | 'seasons'>, clock: () => number) {
  const { leagues, seasons } = models;
  const today = () => Math.floor(clock() / DAY_MS);
  return {
    /** Makes a season of an owner's league, in place of one that has not begun. Null where it owns none; false for another day, and beside an open one. */
    async makeSeason(owner: number, slug: string, from: number, days: number): Promise<Season | false | null> {
      const found = await leagues.exists({ slug, owner });
      if (found === null) return null;
      if (from <= today() || from > today() + MAX_SEASON_AHEAD_DAYS) return false;
      await seasons.deleteOne({ league: found._id, from: { $gt: today() } });
      const season = { _id: newDocumentId(), league: found._id, from, until: from + days, methodology: null, rows: [] };
      return (await insertUnlessTaken(() => seasons.insertOne(season))) && season;
    },

    /** The newest seasons of a league, newest first. */
    seasonsOf: async ({ _id }: { readonly _id: string }): Promise<readonly Season[]> =>
      seasons.find({ league: _id }, { rows: 0 }).sort({ from: -1 }).limit(MAX_SEASONS_LISTED).lean(),

    /** The final board of a season; null before it is decided. */
    async seasonBoard({ _id }: { readonly _id: string }): Promise<Board | null> {
      const { methodology = null, rows = [] } = (await seasons.findById(_id).lean()) ?? {};
      return methodology === null ? null : { methodology, rows };
    },

    /** Keeps the final boards of seasons that are over. Safe to repeat: the first board stays. */
    async finishSeasons(boardOf: MakeBoard): Promise<void> {
      const over = await seasons.find({ methodology: null, until: { $lte: today() } }).lean();
      for (const { _id, from, until, ...season } of over) {
        const league = await leagues.findById(season.league).lean();
        const members = league?.members.map(({ operator }) => operator) ?? [];
        const board = await boardOf({ from, until, members, isPublic: league?.visibility === 'public' });
        if (board !== null) await seasons.updateOne({ _id, methodology: null }, { $set: board });
      }
    },
  };
}

import * as z from 'zod';
import { coded } from './coded.ts';
import { described, optional } from './described.ts';
import { limitQuery, offsetQuery, platformQuery, refuseConflicts, windowQuery } from './leaderboard.ts';
import { displayNameText } from './me.ts';

/** Who sees a league, from everybody to its members: each word is narrower than the one before. */
export const LEAGUE_VISIBILITIES = ['public', 'unlisted', 'private'] as const;

export type LeagueVisibility = (typeof LEAGUE_VISIBILITIES)[number];

const name = described(displayNameText('league_name_invalid'), 'Its name, under the rules of display names.');
const visibility = described(
  z.enum(LEAGUE_VISIBILITIES),
  'public: seen by everybody; unlisted: by anybody with its address; private: by its members alone.',
);

const SEASON = coded('season_invalid');

/** The body of POST /leagues. */
export const LeagueRequest = z
  .object({ name, visibility }, coded('body_not_object'))
  .meta({ description: 'A league to make.' });

/** The body of PATCH /leagues/{slug}: absent fields stay unchanged. */
export const LeagueChange = z
  .object(
    {
      name: name.optional(),
      visibility: optional(
        z.enum(LEAGUE_VISIBILITIES),
        'A narrower one takes effect at once. A wider one makes a new, empty league, because joining was consent to this one.',
      ),
      owner: optional(
        z.string(),
        'The codename of the member to whom it is handed over. Your own accepts a league whose owner was erased.',
      ),
      code: optional(
        z.enum(['replace', 'end']),
        'The present code ends, and with `replace` a new one takes its place.',
      ),
      season: optional(
        z.object({ from: z.iso.date(SEASON), days: z.int(SEASON).min(7, SEASON).max(40, SEASON) }, SEASON),
        'Makes a season: its first day (UTC, after today) and its days, 7 to 40. It takes the place of one that has not begun; one that has must be final.',
      ),
    },
    coded('body_not_object'),
  )
  .meta({ description: 'Changes to a league.' });

const code = described(z.string().max(64), 'The code of the invitation.');

/** The query of GET /leagues/{slug}. */
export const LeagueQuery = z.object({ code: code.optional() });

/** The body of POST /leagues/{slug}/join. */
export const LeagueInvitationRequest = z
  .object({ code }, coded('body_not_object'))
  .meta({ description: 'An invitation to a league.' });

export const League = z
  .object({
    name: z.string(),
    owner: described(
      z.string().nullable(),
      'The codename of its owner; null while it has none, and where a public league has a hidden owner, whom its members alone see.',
    ),
    size: described(z.int().min(0), 'Its members.'),
    visibility,
    slug: described(z.string(), 'Its place in addresses: random unless it is public.'),
    role: described(z.enum(['owner', 'member']).nullable(), 'What you are in it.'),
    seasons: described(
      z.array(z.object({ from: z.iso.date(), until: z.iso.date(), final: z.boolean() })),
      'Its newest seasons by first and last day (UTC), and whether the board of each stays as it is.',
    ),
    code: optional(z.string().nullable(), 'For its owner: the code with which others join; null while there is none.'),
    members: optional(z.array(z.string()), 'For its members: the codenames of all of them, oldest first.'),
    offered_until: optional(
      z.iso.datetime(),
      'For its members, after its owner was erased: the oldest member who accepts until then becomes the owner.',
    ),
    successor: optional(
      z.object({ slug: z.string(), code: z.string() }),
      'For its members: a wider league that its owner made, and the code to join it, until that code is replaced or the league is narrowed.',
    ),
  })
  .meta({ description: 'A league.' });

/** The query of GET /leagues/{slug}/leaderboard. Values arrive as strings. */
export const LeagueBoardQuery = z
  .object({
    window: windowQuery,
    limit: limitQuery,
    offset: offsetQuery.default(0).meta({ description: 'Rows before the first one that is returned.' }),
    at: optional(z.string(), 'A kept board: an hour (`2026-11-28T14:00Z`) or a day (`2026-11-28`).'),
    platform: platformQuery,
    season: optional(
      z.iso.date(),
      'The first day of a season: ranks by the growth that arrived on its days and is dated at most 48 hours earlier, in place of a window.',
    ),
  })
  .superRefine(refuseConflicts(['at', 'platform'], ['season', 'at', 'platform']));

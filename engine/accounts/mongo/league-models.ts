import { LEAGUE_VISIBILITIES } from '../../contract/index.ts';
import { defineStored, oneOf, orNull, part, required } from '../../mongo/index.ts';

const LEAGUE_MEMBER = part({
  operator: required(Number),
  joined_at: required(Date),
  /** Of a league that is offered: whether the member would own it. */
  accepted: Boolean,
});

const LEAGUE_REPORT = part({ reporter: required(Number), at: required(Date) });

/** Boards of some operators who joined them. Nothing of their rows is stored. */
export const LEAGUES = defineStored(
  'leagues',
  {
    _id: required(String),
    slug: required(String),
    name: required(String),
    visibility: oneOf(LEAGUE_VISIBILITIES),
    /** Its owner's number, who is a member; null while it is offered. */
    owner: orNull(Number),
    /** Oldest first. */
    members: required([LEAGUE_MEMBER]),
    /** Members whom the owner removed under the present code. */
    removed: required([Number]),
    /** Codes so far; the last one is valid while `open`. See `leagues/league-codes`. */
    codes: required(Number),
    open: required(Boolean),
    /** Id of the wider league that its owner made. */
    successor: String,
    /** When an offered one ends. */
    offered_until: Date,
    reports: required([LEAGUE_REPORT]),
    /** Grows with every change that its board depends on. */
    revision: required(Number),
    created_at: required(Date),
  },
  [{ slug: 1 }, { unique: true }],
  [{ 'members.operator': 1 }],
  [{ offered_until: 1 }, { sparse: true }],
  [{ 'reports.at': 1 }, { sparse: true }],
);

const SEASON_ROW = part({
  operator: required(Number),
  yield_: required(Number),
  rank: required(Number),
  platform: required(String),
  /** Whether it was not settled: see `finalSeason` of the ranking. */
  held: Boolean,
});

/** Seasons of leagues, by UTC days since the epoch. */
export const LEAGUE_SEASONS = defineStored(
  'league_seasons',
  {
    _id: required(String),
    league: required(String),
    /** Its first day, and the first one after it. */
    from: required(Number),
    until: required(Number),
    /** Of its final board; null, without rows, until that is decided. */
    methodology: orNull(Number),
    rows: required([SEASON_ROW]),
  },
  [{ league: 1, from: -1 }],
  // One at a time.
  [{ league: 1 }, { unique: true, partialFilterExpression: { methodology: null } }],
  [{ methodology: 1, until: 1 }],
  [{ 'rows.operator': 1 }],
);

import type * as z from 'zod';
import { DAY_MS } from '../../../config/units.ts';
import { LEAGUE_VISIBILITIES, type LeagueChange } from '../../contract/index.ts';
import { insertUnlessTaken, newDocumentId } from '../../mongo/index.ts';
import type { AuditLog } from '../audit-log.ts';
import { LEAGUE_OFFER_MS, MAX_LEAGUE_MEMBERS, MAX_LEAGUE_REPORTS, MAX_LEAGUES, MAX_LEAGUES_MADE } from '../limits.ts';
import type { LeagueDocument, Models } from '../mongo/models.ts';
import { createLeagueCodes, newSlug } from './league-codes.ts';
import { createSeasons, type SeasonDays } from './league-seasons.ts';

/**
 * A league as it is stored; operators by their numbers. It has an owner, or is offered to its members because its owner was erased
 * (`owner` is null): then the oldest member who accepted owns it, at once where no member is older, else when the offer ends.
 * It ends by its deletion, or with an offer that no member accepted.
 */
export type League = LeagueDocument;

/**
 * Why nothing was done with a league, by the code of the problem. One text for a wrong or ended code, an unknown league, and a code
 * under which the owner removed the operator.
 */
export const LEAGUE_REFUSALS = {
  invitation_unknown: 'There is no league with this invitation.',
  league_full: 'The league has 1,000 members.',
  league_limit: 'You are in 20 leagues.',
  league_owner_leaves: 'You own this league.',
  league_owner_only: 'You do not own this league.',
  league_unknown: 'There is no league at this address.',
  leagues_made: 'You have made 10 leagues in 24 hours.',
  operator_unknown: 'No other member of this league has this codename.',
  season_invalid: 'It begins after today, and one is open at a time.',
} as const;

/** `waitMs`: milliseconds until a league can be made. */
export interface LeagueRefusal {
  readonly refused: keyof typeof LEAGUE_REFUSALS;
  readonly waitMs?: number;
}

/** Changes of a league by its owner: `owner` is the member to whom it is handed over. */
interface LeagueChanges extends Pick<z.output<typeof LeagueChange>, 'name' | 'visibility' | 'code'> {
  readonly owner?: number | undefined;
  readonly season?: SeasonDays | undefined;
}

/** What a moderator does with a public league that was reported. */
export const LEAGUE_ACTIONS = ['dismiss', 'rename', 'make private', 'delete'] as const;

type LeagueAction = (typeof LEAGUE_ACTIONS)[number];

interface Parts {
  readonly models: Pick<Models, 'leagues' | 'seasons' | 'audit'>;
  readonly shared: Parameters<typeof createLeagueCodes>[0];
  readonly audit: AuditLog;
  readonly clock: () => number;
}

type NewLeague = Pick<League, 'name' | 'visibility'>;

type Codes = ReturnType<typeof createLeagueCodes>;

const CHANGED = { $inc: { revision: 1 } } as const;

const AFTER = { returnDocument: 'after' } as const;

/** The leagues that have an operator as a member. */
const having = (operator: number) => ({ 'members.operator': operator });

/** The league of an address, unless it is private and the operator (null: not signed in) is no member. */
const seenBy = (slug: string, operator: number | null) => ({
  slug,
  $or: [{ visibility: { $ne: 'private' as const } }, having(operator ?? 0)],
});

/** Leagues: boards of operators who joined them. Their names are checked by the caller (`checkLeagueName` of the api). */
export function createLeagues(parts: Parts) {
  const { leagues } = parts.models;
  const codes = createLeagueCodes(parts.shared);
  return {
    codeOf: codes.codeOf,

    /** A league that an operator (null: anybody) may see. One query, which finds nothing where there is nothing, or nothing to see. */
    visible: async (slug: string, operator: number | null): Promise<League | null> =>
      leagues.findOne(seenBy(slug, operator)).lean(),

    /** What the board of such a league is made of; the numbers of its members are read when they are needed. */
    async board(slug: string, operator: number | null) {
      const found = await leagues.findOne(seenBy(slug, operator), { visibility: 1, revision: 1 }).lean();
      if (found === null) return null;
      const { _id: id, revision, visibility } = found;
      const members = async (): Promise<readonly number[]> =>
        ((await leagues.findOne({ _id: id }, { members: 1 }).lean())?.members ?? []).map((member) => member.operator);
      return { id, revision, isPublic: visibility === 'public', members };
    },

    /** The leagues of an operator, oldest first. */
    ofMember: async (operator: number): Promise<readonly League[]> =>
      leagues.find(having(operator)).sort({ created_at: 1, _id: 1 }).lean(),

    /** What leagues in which an operator may not be store about it: its reports that wait, and how many owners removed it. */
    async othersAbout(operator: number) {
      const reported = await leagues
        .find({ 'reports.reporter': operator }, { slug: 1, visibility: 1, reports: 1 })
        .lean();
      const reports = reported.flatMap(({ slug, visibility, reports: all }) =>
        all
          .filter(({ reporter }) => reporter === operator)
          .map(({ at }) => ({ league: visibility === 'public' ? slug : null, at })),
      );
      return { reports, removals: await leagues.countDocuments({ removed: operator }) };
    },

    /**
     * The wider league that the owner made of one, as long as its members are invited to it: until its first code is replaced, or it
     * is not wider any more. Null without one.
     */
    successorOf: async ({ successor, visibility }: League): Promise<League | null> => {
      const wider = LEAGUE_VISIBILITIES.slice(0, LEAGUE_VISIBILITIES.indexOf(visibility));
      const invited = { codes: 1, visibility: { $in: wider } };
      return successor === undefined ? null : leagues.findOne({ _id: successor, ...invited }).lean();
    },

    /** The league of a valid code; null for any other code, and for an unknown league alike. */
    invitation: (slug: string, code: string): Promise<League | null> => leagueOfCode(parts, codes, slug, code),
    make: (owner: number, league: NewLeague) => makeLeague(parts, owner, league),
    ...createMemberships(parts, codes),
    ...createOwnersActs(parts),
    ...createModeration(parts),
    ...createInheritance(parts),
    ...createSeasons(parts.models, parts.clock),
  };
}

/** The league of a valid code. Without one, the same is read of a league as of none. */
async function leagueOfCode({ models: { leagues } }: Parts, codes: Codes, slug: string, code: string) {
  const found = await leagues.findOne({ slug }, { codes: 1, open: 1 }).lean();
  return (await codes.isCode(found, code)) ? leagues.findOne({ slug }).lean() : null;
}

/** Why an operator changed nothing of a league: `ofOwner` is the reason of its owner. Of a league that it does not see, as of none. */
async function refusalOf(
  { models: { leagues } }: Parts,
  operator: number,
  slug: string,
  ofOwner: LeagueRefusal['refused'],
): Promise<LeagueRefusal> {
  const league = await leagues.findOne(seenBy(slug, operator), { owner: 1 }).lean();
  if (league === null) return { refused: 'league_unknown' };
  return { refused: league.owner === operator ? ofOwner : 'league_owner_only' };
}

function createMemberships(parts: Parts, codes: Codes) {
  const { clock } = parts;
  const { leagues } = parts.models;
  return {
    /** Safe to repeat. The invitation is unknown also to an operator whom the owner removed under this code. */
    async join(operator: number, slug: string, code: string): Promise<League | LeagueRefusal> {
      const league = await leagueOfCode(parts, codes, slug, code);
      if (league === null) return { refused: 'invitation_unknown' };
      if (league.members.some((member) => member.operator === operator)) return league;
      if ((await leagues.countDocuments(having(operator))) >= MAX_LEAGUES) return { refused: 'league_limit' };
      const asRead = { _id: league._id, codes: league.codes, open: true, removed: { $ne: operator } };
      // Bounds the members, and those who were removed under one code.
      const room = {
        [`members.${MAX_LEAGUE_MEMBERS - 1}`]: { $exists: false },
        [`removed.${MAX_LEAGUE_MEMBERS - 1}`]: { $exists: false },
      };
      const free = { ...asRead, ...room, 'members.operator': { $ne: operator } };
      const update = { $push: { members: { operator, joined_at: new Date(clock()) } }, ...CHANGED };
      const joined =
        (await leagues.findOneAndUpdate(free, update, AFTER).lean()) ??
        (await leagues.findOne({ ...asRead, ...having(operator) }).lean());
      return joined ?? { refused: (await leagues.exists(asRead)) === null ? 'invitation_unknown' : 'league_full' };
    },

    /**
     * Ends a membership: a member leaves, and the owner removes others, who cannot come back with the present code. The owner hands
     * over or deletes.
     */
    async endMembership(operator: number, slug: string, member: number): Promise<League | LeagueRefusal> {
      const isOwn = member === operator;
      const there = { slug, ...having(member), owner: isOwn ? { $ne: operator } : operator };
      const removal = isOwn ? {} : { $addToSet: { removed: member } };
      const update = { $pull: { members: { operator: member } }, ...removal, ...CHANGED };
      const left = await leagues.findOneAndUpdate(there, update, AFTER).lean();
      return left ?? refusalOf(parts, operator, slug, isOwn ? 'league_owner_leaves' : 'operator_unknown');
    },
  };
}

/** Makes a league with its owner as the only member. Concurrent requests may exceed the limits by their number. */
async function makeLeague(
  { models: { leagues, audit: events }, audit, clock }: Parts,
  owner: number,
  { name, visibility }: NewLeague,
): Promise<League | LeagueRefusal> {
  const now = clock();
  if ((await leagues.countDocuments(having(owner))) >= MAX_LEAGUES) return { refused: 'league_limit' };
  const ofToday = { operator: owner, kind: 'league_made' as const, at: { $gt: new Date(now - DAY_MS) } };
  const made = await events.find(ofToday).sort({ at: -1 }).limit(MAX_LEAGUES_MADE).lean();
  const oldest = made[MAX_LEAGUES_MADE - 1];
  if (oldest !== undefined) return { refused: 'leagues_made', waitMs: oldest.at.getTime() + DAY_MS - now };
  await audit.record({ kind: 'league_made', operator: owner, client: null, detail: { visibility } });
  const at = new Date(now);
  for (let taken = false; ; taken = true) {
    const league: League = {
      _id: newDocumentId(),
      slug: newSlug(name, visibility, taken),
      name,
      visibility,
      owner,
      members: [{ operator: owner, joined_at: at }],
      removed: [],
      codes: 1,
      open: true,
      reports: [],
      revision: 1,
      created_at: at,
    };
    if (await insertUnlessTaken(() => leagues.insertOne(league))) return league;
  }
}

/** Deletes a league, and the boards of its seasons; null where there is none. */
async function remove({ leagues, seasons }: Parts['models'], filter: object): Promise<League | null> {
  const removed = await leagues.findOneAndDelete(filter).lean();
  if (removed !== null) await seasons.deleteMany({ league: removed._id });
  return removed;
}

/** What the owner of a league does. */
function createOwnersActs(parts: Parts) {
  const { leagues } = parts.models;
  const seasons = createSeasons(parts.models, parts.clock);

  /**
   * Changes a league. A narrower visibility has another address where the former one was public; for a wider one a new league is made,
   * which is returned, and of which the members of this one see the invitation.
   */
  async function change(operator: number, slug: string, changes: LeagueChanges): Promise<League | LeagueRefusal> {
    const { name, visibility, code, owner, season } = changes;
    const league = await leagues.findOne({ slug, owner: operator }).lean();
    if (league === null) return refusalOf(parts, operator, slug, 'league_unknown');
    const isMember = owner === undefined || league.members.some((member) => member.operator === owner);
    if (!isMember) return { refused: 'operator_unknown' };
    if (season !== undefined && !(await seasons.makeSeason(league, season))) return { refused: 'season_invalid' };
    const [from, to] = [league.visibility, visibility ?? league.visibility].map((each) =>
      LEAGUE_VISIBILITIES.indexOf(each),
    );
    const isWider = visibility !== undefined && to! < from!;
    const wider = isWider ? await makeLeague(parts, operator, { name: name ?? league.name, visibility }) : null;
    if (wider !== null && 'refused' in wider) return wider;
    const set = {
      ...(name !== undefined && { name }),
      ...(owner !== undefined && { owner }),
      ...(code !== undefined && { open: code === 'replace' }),
      ...(code === 'replace' && { removed: [] }),
      ...(wider !== null && { successor: wider._id }),
      ...(visibility !== undefined && !isWider && { visibility }),
      ...(from === 0 && to! > 0 && { slug: newSlug(league.name, 'private') }),
    };
    // A member to whom it is handed over, and a narrower visibility, are those of now.
    const asRead = { slug, owner: operator, visibility: league.visibility, ...having(owner ?? operator) };
    const update = { $set: set, $inc: { codes: code === 'replace' ? 1 : 0, revision: 1 } };
    const changed = await leagues.findOneAndUpdate(asRead, update, AFTER).lean();
    return wider ?? changed ?? refusalOf(parts, operator, slug, 'operator_unknown');
  }

  return {
    change,
    delete: async (operator: number, slug: string): Promise<League | LeagueRefusal> =>
      (await remove(parts.models, { slug, owner: operator })) ?? refusalOf(parts, operator, slug, 'league_unknown'),
  };
}

/** Public leagues with a report, of which a moderator is no member and no reporter. */
const waitingFor = (moderator: number) => ({
  visibility: 'public' as const,
  'reports.at': { $exists: true },
  'members.operator': { $ne: moderator },
  'reports.reporter': { $ne: moderator },
});

/** Reports of public leagues, and what moderators decide. */
function createModeration({ models, audit, clock }: Parts) {
  const { leagues } = models;
  return {
    /** Safe to repeat. False: there is no such public league. */
    async report(reporter: number, slug: string): Promise<boolean> {
      const shown = { slug, visibility: 'public' as const };
      const room = { [`reports.${MAX_LEAGUE_REPORTS - 1}`]: { $exists: false }, 'reports.reporter': { $ne: reporter } };
      await leagues.updateOne({ ...shown, ...room }, { $push: { reports: { reporter, at: new Date(clock()) } } });
      return (await leagues.exists(shown)) !== null;
    },

    /** The leagues that wait for a moderator, the first reported first. */
    reported: async (moderator: number, limit: number): Promise<readonly League[]> =>
      leagues.find(waitingFor(moderator)).sort({ 'reports.at': 1 }).limit(limit).lean(),

    /** Decides about a reported league and ends its reports; a new name has a new address. False where it does not wait for this moderator. */
    async moderate(moderator: number, slug: string, action: LeagueAction, name: string): Promise<boolean> {
      const filter = { slug, ...waitingFor(moderator) };
      const update = { $set: { reports: [], ...moderated(action, name) }, ...CHANGED };
      const found =
        action === 'delete' ? await remove(models, filter) : await leagues.findOneAndUpdate(filter, update).lean();
      if (found === null) return false;
      for (const operator of [found.owner, moderator]) {
        await audit.record({ kind: 'league_moderated', operator, client: null, detail: { action, name: found.name } });
      }
      return true;
    },
  };
}

function moderated(action: LeagueAction, name: string) {
  if (action === 'rename') return { name, slug: newSlug(name, 'public', true) };
  return action === 'make private' ? { visibility: 'private', slug: newSlug('', 'private') } : {};
}

/** What follows from the erasure of operators. */
function createInheritance(parts: Parts) {
  const { models, clock } = parts;
  const { leagues, seasons } = models;
  /** Gives an offered league to its heir, or ends it. A change meanwhile comes first: the next call sees it. */
  async function settle({ _id, revision, members, offered_until }: League): Promise<void> {
    const isOver = (offered_until?.getTime() ?? 0) <= clock();
    const heir = (isOver ? members : members.slice(0, 1)).find(({ accepted }) => accepted === true);
    const asRead = { _id, revision };
    if (heir) {
      const unset = { offered_until: true, 'members.$[].accepted': true } as const;
      await leagues.updateOne(asRead, { $set: { owner: heir.operator }, $unset: unset, ...CHANGED });
    } else if (isOver || members.length === 0) {
      await remove(models, asRead);
    }
  }

  return {
    /** A member of an offered league would own it. */
    async accept(operator: number, slug: string): Promise<League | LeagueRefusal> {
      const offered = { slug, ...having(operator), owner: null, offered_until: { $gt: new Date(clock()) } };
      const update = { $set: { 'members.$.accepted': true }, ...CHANGED };
      const league = await leagues.findOneAndUpdate(offered, update, AFTER).lean();
      if (league === null) return refusalOf(parts, operator, slug, 'operator_unknown');
      await settle(league);
      return (await leagues.findById(league._id).lean()) ?? { refused: 'league_unknown' };
    },

    /** Gives the offered leagues of which it is time to their heirs, and ends those without. */
    async settleOffers(): Promise<void> {
      for (const league of await leagues.find({ offered_until: { $exists: true } }).lean()) await settle(league);
    },

    /** Deletes what leagues store about an operator, and offers its own to their members. Safe to repeat. */
    async eraseOf(operator: number): Promise<void> {
      const about = { $or: [having(operator), { removed: operator }, { 'reports.reporter': operator }] };
      const trace = { members: { operator }, removed: operator, reports: { reporter: operator } };
      // The leagues of others first: from then on none of them can be handed over to the operator.
      await leagues.updateMany({ owner: { $ne: operator }, ...about }, { $pull: trace, ...CHANGED });
      const alone = { owner: operator, members: { $not: { $elemMatch: { operator: { $ne: operator } } } } };
      while ((await remove(models, alone)) !== null);
      const offer = { owner: null, offered_until: new Date(clock() + LEAGUE_OFFER_MS) };
      await leagues.updateMany({ owner: operator }, { $set: offer, $pull: trace, ...CHANGED });
      await seasons.updateMany({ 'rows.operator': operator }, { $pull: { rows: { operator } } });
    },
  };
}

import { DAY_MS } from '../../../config/units.ts';
import { LEAGUE_VISIBILITIES, type LeagueVisibility } from '../../contract/index.ts';
import { insertUnlessTaken, newDocumentId } from '../../mongo/index.ts';
import type { AuditLog } from '../audit-log.ts';
import { LEAGUE_OFFER_MS, MAX_LEAGUE_MEMBERS, MAX_LEAGUE_REPORTS, MAX_LEAGUES, MAX_LEAGUES_MADE } from '../limits.ts';
import type { LeagueDocument, Models } from '../mongo/models.ts';
import { createLeagueCodes, newSlug } from './league-codes.ts';
import { createSeasons } from './league-seasons.ts';

/**
 * A league as it is stored; operators by their numbers. It has an owner, or is offered to its members because its owner was erased
 * (`owner` is null): then the oldest member who accepted owns it, at once where no member is older, else when the offer ends.
 * It ends by its deletion, or with an offer that no member accepted.
 */
export type League = LeagueDocument;

/** Why nothing was made. `waitMs`: milliseconds until a league can be made. */
export type LeagueRefusal = { readonly kind: 'limit' } | { readonly kind: 'made'; readonly waitMs: number };

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

    /** The wider league that the owner made of one; null without one, or when it was deleted. */
    successorOf: async ({ successor }: League): Promise<League | null> =>
      successor === undefined ? null : leagues.findOne({ _id: successor }).lean(),

    /** The league of a valid code; null for any other code, and for an unknown league alike. */
    invitation: (slug: string, code: string): Promise<League | null> => leagueOfCode(parts, codes, slug, code),
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

function createMemberships(parts: Parts, codes: Codes) {
  const { clock } = parts;
  const { leagues } = parts.models;
  return {
    /** Safe to repeat. `unknown`: no such league or code, or its owner removed the operator under this code. */
    async join(operator: number, slug: string, code: string): Promise<'joined' | 'unknown' | 'full' | 'limit'> {
      const league = await leagueOfCode(parts, codes, slug, code);
      if (league === null) return 'unknown';
      if (league.members.some((member) => member.operator === operator)) return 'joined';
      if ((await leagues.countDocuments(having(operator))) >= MAX_LEAGUES) return 'limit';
      const asRead = { _id: league._id, codes: league.codes, open: true, removed: { $ne: operator } };
      // Bounds the members, and those who were removed under one code.
      const room = {
        [`members.${MAX_LEAGUE_MEMBERS - 1}`]: { $exists: false },
        [`removed.${MAX_LEAGUE_MEMBERS - 1}`]: { $exists: false },
      };
      const free = { ...asRead, ...room, 'members.operator': { $ne: operator } };
      const member = { operator, joined_at: new Date(clock()) };
      const { matchedCount } = await leagues.updateOne(free, { $push: { members: member }, ...CHANGED });
      if (matchedCount === 1 || (await leagues.exists({ ...asRead, ...having(operator) })) !== null) return 'joined';
      return (await leagues.exists(asRead)) === null ? 'unknown' : 'full';
    },

    /** False when the operator is no member, or is the owner, who hands over or deletes. */
    async leave(operator: number, slug: string): Promise<boolean> {
      const left = { slug, ...having(operator), owner: { $ne: operator } };
      return (await leagues.updateOne(left, { $pull: { members: { operator } }, ...CHANGED })).matchedCount === 1;
    },
  };
}

/** Makes a league with its owner as the only member. Concurrent requests may exceed the limits by their number. */
async function makeLeague(
  { models: { leagues, audit: events }, audit, clock }: Parts,
  owner: number,
  { name, visibility }: NewLeague,
): Promise<{ readonly kind: 'league'; readonly league: League } | LeagueRefusal> {
  const now = clock();
  if ((await leagues.countDocuments(having(owner))) >= MAX_LEAGUES) return { kind: 'limit' };
  const ofToday = { operator: owner, kind: 'league_made' as const, at: { $gt: new Date(now - DAY_MS) } };
  const made = await events.find(ofToday).sort({ at: -1 }).limit(MAX_LEAGUES_MADE).lean();
  const oldest = made[MAX_LEAGUES_MADE - 1];
  if (oldest !== undefined) return { kind: 'made', waitMs: oldest.at.getTime() + DAY_MS - now };
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
    if (await insertUnlessTaken(() => leagues.insertOne(league))) return { kind: 'league', league };
  }
}

/** Deletes a league, and the boards of its seasons; null where there is none. */
async function remove({ leagues, seasons }: Parts['models'], filter: object): Promise<League | null> {
  const removed = await leagues.findOneAndDelete(filter).lean();
  if (removed !== null) await seasons.deleteMany({ league: removed._id });
  return removed;
}

/** What the owner of a league does; false or null when the operator does not own it. */
function createOwnersActs(parts: Parts) {
  const { leagues } = parts.models;
  const make = (owner: number, league: NewLeague) => makeLeague(parts, owner, league);

  async function change(owner: number, slug: string, update: object, filter: object = {}): Promise<League | null> {
    const owned = { slug, owner, ...filter };
    return leagues.findOneAndUpdate(owned, { ...CHANGED, ...update }, { returnDocument: 'after' }).lean();
  }

  return {
    make,
    rename: (owner: number, slug: string, name: string) => change(owner, slug, { $set: { name } }),
    /** Who was removed cannot come back with the present code. */
    remove: (owner: number, slug: string, operator: number) =>
      operator === owner
        ? null
        : change(owner, slug, { $pull: { members: { operator } }, $addToSet: { removed: operator } }, having(operator)),
    /** The new owner is a member. */
    handOver: (owner: number, slug: string, operator: number) =>
      change(owner, slug, { $set: { owner: operator } }, having(operator)),
    /** A new code takes the place of the present one, or the present one ends. */
    setCode: (owner: number, slug: string, open: boolean) =>
      change(owner, slug, {
        $set: { open, ...(open ? { removed: [] } : {}) },
        $inc: { codes: open ? 1 : 0, revision: 1 },
      }),

    /**
     * Narrows the visibility, under a new address where the former one was public; or makes a new league with the wider one, of
     * which the members of this one see the invitation. Returns the league that has the visibility.
     */
    async setVisibility(owner: number, slug: string, visibility: LeagueVisibility) {
      const league = await leagues.findOne({ slug, owner }).lean();
      if (league === null) return null;
      const [from, to] = [league.visibility, visibility].map((each) => LEAGUE_VISIBILITIES.indexOf(each));
      if (to! < from!) {
        const made = await make(owner, { name: league.name, visibility });
        if (made.kind === 'league') await change(owner, slug, { $set: { successor: made.league._id } });
        return made;
      }
      const moved = league.visibility === 'public' && visibility !== 'public';
      const address = moved ? { slug: newSlug(league.name, visibility) } : {};
      const update = { $set: { visibility, ...address } };
      const narrowed = await change(owner, slug, update, { visibility: league.visibility });
      return narrowed && ({ kind: 'league', league: narrowed } as const);
    },

    delete: async (owner: number, slug: string): Promise<boolean> =>
      (await remove(parts.models, { slug, owner })) !== null,
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
function createInheritance({ models, clock }: Parts) {
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
    /** A member of an offered league would own it. False where it is not offered to the operator. */
    async accept(operator: number, slug: string): Promise<boolean> {
      const offered = { slug, ...having(operator), owner: null };
      const update = { $set: { 'members.$.accepted': true }, ...CHANGED };
      const league = await leagues.findOneAndUpdate(offered, update, { returnDocument: 'after' }).lean();
      if (league !== null) await settle(league);
      return league !== null;
    },

    /** Gives the offered leagues of which it is time to their heirs, and ends those without. */
    async settleOffers(): Promise<void> {
      for (const league of await leagues.find({ offered_until: { $exists: true } }).lean()) await settle(league);
    },

    /** Deletes what leagues store about an operator, and offers its own to their members. Safe to repeat. */
    async eraseOf(operator: number): Promise<void> {
      while ((await remove(models, { owner: operator, 'members.1': { $exists: false } })) !== null);
      const offered_until = new Date(clock() + LEAGUE_OFFER_MS);
      await leagues.updateMany({ owner: operator }, { $set: { owner: null, offered_until }, ...CHANGED });
      const about = { $or: [having(operator), { removed: operator }, { 'reports.reporter': operator }] };
      const trace = { members: { operator }, removed: operator, reports: { reporter: operator } };
      await leagues.updateMany(about, { $pull: trace, ...CHANGED });
      await seasons.updateMany({ 'rows.operator': operator }, { $pull: { rows: { operator } } });
    },
  };
}

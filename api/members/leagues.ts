import type * as z from 'zod';
import { DAY_MS, MS_PER_SECOND } from '../../config/units.ts';
import type { Accounts, LeagueRefusal, Season, League as StoredLeague } from '../../engine/accounts/index.ts';
import { type League, type LeagueChange, type LeagueVisibility } from '../../engine/contract/index.ts';
import type { Ranking } from '../../engine/ranking/index.ts';
import { fromStorage, Problem } from '../http/problem.ts';
import type { Caller } from '../http/route.ts';

/** Who sees a league and its members' rows in it. */
export const SEEN_BY: Readonly<Record<LeagueVisibility, string>> = {
  public: 'everybody',
  unlisted: 'anybody who has its address',
  private: 'its members alone',
};

interface Context {
  readonly accounts: Pick<Accounts, 'leagues'>;
  readonly ranking: Pick<Ranking, 'operators'>;
}

/** The operator whose leagues a request may read: null without a token, or with one of an app that was not allowed to. */
export function readerOf(caller: Pick<Caller, 'operator' | 'seesLeagues'> | null): number | null {
  return caller?.seesLeagues === true ? caller.operator : null;
}

/** A league that an operator (null: anybody) may see. @throws Problem league_unknown, for one that it may not see alike. */
export async function openLeague({ accounts }: Context, slug: string, operator: number | null): Promise<StoredLeague> {
  const league = await fromStorage(() => accounts.leagues.visible(slug, operator));
  if (league === null) throw leagueUnknown();
  return league;
}

export function leagueUnknown(): Problem {
  return new Problem('league_unknown', { detail: 'There is no league at this address.' });
}

/** The problem of an owner's act that changed nothing: about an operator who is no other member, or by somebody else. */
export async function notOwners(ctx: Context, slug: string, operator: number): Promise<Problem> {
  const { owner } = await openLeague(ctx, slug, operator);
  if (owner !== operator) return new Problem('league_owner_only', { detail: 'You do not own this league.' });
  return new Problem('operator_unknown', { detail: 'No other member of this league has this codename.' });
}

/** The problem of a league that was not made, or not joined. */
export function notMade(refusal: LeagueRefusal): Problem {
  if (refusal.kind === 'limit') return new Problem('league_limit', { detail: 'You are in 20 leagues.' });
  const headers = { 'Retry-After': String(Math.ceil(refusal.waitMs / MS_PER_SECOND)) };
  return new Problem('leagues_made', { detail: 'You have made 10 leagues in 24 hours.', headers });
}

/** Refuses a name that reads as a codename of somebody else, or as a reserved one. @throws Problem league_name_invalid. */
export async function checkLeagueName({ ranking }: Context, operator: number, name: string): Promise<void> {
  const detail = await fromStorage(() => ranking.operators.displayNameProblem(operator, name));
  if (detail === null) return;
  const errors = [{ pointer: '/name', code: 'league_name_invalid', detail }] as const;
  throw new Problem('league_name_invalid', { detail, errors });
}

/** A league as an operator (null: anybody) sees it. */
export function leagueBody({ accounts, ranking }: Context, league: StoredLeague, operator: number | null) {
  const { slug, name, visibility, owner, members, offered_until } = league;
  const isMember = members.some((member) => member.operator === operator);
  const isOwner = isMember && owner === operator;
  const { codeOf, successorOf, seasonsOf } = accounts.leagues;
  return fromStorage(async () => {
    const record = owner === null ? null : await ranking.operators.byNumber(owner);
    const isOwnerShown = record !== null && (record.listed || isMember || visibility !== 'public');
    const wider = isMember ? await successorOf(league) : null;
    const invitation = wider && (await codeOf(wider));
    return {
      slug,
      name,
      visibility,
      owner: isOwnerShown ? record.codename : null,
      size: members.length,
      role: isOwner ? 'owner' : isMember ? 'member' : null,
      seasons: (await seasonsOf(league)).map(seasonBody),
      ...(isOwner ? { code: await codeOf(league) } : {}),
      ...(wider && invitation !== null ? { successor: { slug: wider.slug, code: invitation } } : {}),
      ...(isMember && offered_until !== undefined ? { offered_until: offered_until.toISOString() } : {}),
    } satisfies z.input<typeof League>;
  });
}

/** A season by its first and last day (UTC). */
export function seasonBody({ from, until, methodology }: Season) {
  return { from: dayText(from), until: dayText(until - 1), final: methodology !== null };
}

/** `2026-05-04`, of a number of days since the epoch. */
function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Makes a league that an operator owns. @throws Problem league_name_invalid, league_limit, leagues_made. */
export async function makeLeague(
  ctx: Context,
  operator: number,
  given: Parameters<Accounts['leagues']['make']>[1],
): Promise<StoredLeague> {
  await checkLeagueName(ctx, operator, given.name);
  const made = await fromStorage(() => ctx.accounts.leagues.make(operator, given));
  if (made.kind !== 'league') throw notMade(made);
  return made.league;
}

/** Changes a league that an operator owns, or accepts one that is offered. Returns it, or the wider one. @throws Problem. */
export async function changeLeague(
  ctx: Context,
  operator: number,
  at: string,
  { name, visibility, code, owner, season }: z.output<typeof LeagueChange>,
): Promise<StoredLeague> {
  const { leagues } = ctx.accounts;
  const heir = owner === undefined ? null : await numberOf(ctx, owner);
  if (heir === operator && !(await fromStorage(() => leagues.accept(operator, at)))) {
    throw await notOwners(ctx, at, operator);
  }
  let league = await openLeague(ctx, at, operator);
  const change = async (act: (slug: string) => ReturnType<typeof leagues.rename>): Promise<void> => {
    const changed = await fromStorage(() => act(league.slug));
    if (changed === null) throw await notOwners(ctx, league.slug, operator);
    league = changed;
  };
  if (name !== undefined) {
    await checkLeagueName(ctx, operator, name);
    await change((slug) => leagues.rename(operator, slug, name));
  }
  if (code !== undefined) await change((slug) => leagues.setCode(operator, slug, code === 'replace'));
  if (season !== undefined) {
    await change(async (slug) => {
      const made = await leagues.makeSeason(operator, slug, Date.parse(season.from) / DAY_MS, season.days);
      if (made === false)
        throw new Problem('season_invalid', { detail: 'It begins after today, and one is open at a time.' });
      return made;
    });
  }
  if (visibility !== undefined) {
    await change(async (slug) => {
      const set = await leagues.setVisibility(operator, slug, visibility);
      if (set !== null && set.kind !== 'league') throw notMade(set);
      return set && set.league;
    });
  }
  if (heir !== null && heir !== operator) await change((slug) => leagues.handOver(operator, slug, heir));
  return league;
}

/** Ends a league that an operator owns. @throws Problem. */
export async function endLeague(ctx: Context, operator: number, slug: string): Promise<void> {
  if (await fromStorage(() => ctx.accounts.leagues.delete(operator, slug))) return;
  throw await notOwners(ctx, slug, operator);
}

/** Leaves a league by the operator's own codename, and removes another member. @throws Problem. */
export async function endMembership(ctx: Context, operator: number, slug: string, codename: string): Promise<void> {
  const { leagues } = ctx.accounts;
  const member = await numberOf(ctx, codename);
  const isOwn = member === operator;
  const act = async () => (isOwn ? leagues.leave(operator, slug) : leagues.remove(operator, slug, member));
  if (await fromStorage(act)) return;
  const problem = await notOwners(ctx, slug, operator);
  if (!isOwn || problem.code === 'league_owner_only') throw problem;
  throw new Problem('league_owner_leaves', { detail: 'You own this league.' });
}

/** One text for an unknown league, a wrong or ended code, and one under which the owner removed the operator. */
const UNKNOWN_INVITATION = { detail: 'There is no league with this invitation.' } as const;

/** The league of a valid code. @throws Problem invitation_unknown. */
export async function openInvitation({ accounts }: Context, slug: string, code: string): Promise<StoredLeague> {
  const league = await fromStorage(() => accounts.leagues.invitation(slug, code));
  if (league === null) throw new Problem('invitation_unknown', UNKNOWN_INVITATION);
  return league;
}

/** Joins by a code. @throws Problem. */
export async function joinLeagueBy(ctx: Context, operator: number, slug: string, code: string): Promise<StoredLeague> {
  const joined = await fromStorage(() => ctx.accounts.leagues.join(operator, slug, code));
  if (joined === 'unknown') throw new Problem('invitation_unknown', UNKNOWN_INVITATION);
  if (joined === 'full') throw new Problem('league_full', { detail: 'The league has 1,000 members.' });
  if (joined === 'limit') throw notMade({ kind: 'limit' });
  return openLeague(ctx, slug, operator);
}

/** The number of an operator by codename, 0, which no operator has, for an unknown one. */
async function numberOf({ ranking }: Context, codename: string): Promise<number> {
  return (await fromStorage(() => ranking.operators.find(codename)))?.operator ?? 0;
}

import type * as z from 'zod';
import { DAY_MS, MS_PER_SECOND } from '../../config/units.ts';
import {
  type Accounts,
  LEAGUE_REFUSALS,
  type LeagueRefusal,
  type Season,
  type League as StoredLeague,
} from '../../engine/accounts/index.ts';
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

/** The league that something was done with. @throws Problem where it was refused. */
export async function done(work: () => Promise<StoredLeague | LeagueRefusal>): Promise<StoredLeague> {
  const result = await fromStorage(work);
  if (!('refused' in result)) return result;
  const { refused, waitMs } = result;
  const headers = waitMs === undefined ? {} : { 'Retry-After': String(Math.ceil(waitMs / MS_PER_SECOND)) };
  throw new Problem(refused, { detail: LEAGUE_REFUSALS[refused], headers });
}

export function leagueUnknown(): Problem {
  return new Problem('league_unknown', { detail: LEAGUE_REFUSALS.league_unknown });
}

/** A league that an operator (null: anybody) may see. @throws Problem league_unknown, for one that it may not see alike. */
export function openLeague({ accounts }: Context, slug: string, operator: number | null): Promise<StoredLeague> {
  return done(async () => (await accounts.leagues.visible(slug, operator)) ?? { refused: 'league_unknown' });
}

/** The league of a valid code. @throws Problem invitation_unknown. */
export function openInvitation({ accounts }: Context, slug: string, code: string): Promise<StoredLeague> {
  return done(async () => (await accounts.leagues.invitation(slug, code)) ?? { refused: 'invitation_unknown' });
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

/** The codenames of the members of a league, oldest first. */
export async function codenamesIn({ ranking }: Context, { members }: StoredLeague): Promise<readonly string[]> {
  const { byNumber } = ranking.operators;
  const records = await fromStorage(() => Promise.all(members.map(({ operator }) => byNumber(operator))));
  return records.flatMap((record) => record?.codename ?? []);
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
  return done(() => ctx.accounts.leagues.make(operator, given));
}

/** Changes a league that an operator owns, or accepts one that is offered. Returns it, or the wider one. @throws Problem. */
export async function changeLeague(
  ctx: Context,
  operator: number,
  slug: string,
  change: z.output<typeof LeagueChange>,
): Promise<StoredLeague> {
  const { leagues } = ctx.accounts;
  const { name, visibility, code, owner: codename } = change;
  if (name !== undefined) await checkLeagueName(ctx, operator, name);
  const owner = codename === undefined ? undefined : await numberOf(ctx, codename);
  const accepted = owner === operator ? await done(() => leagues.accept(operator, slug)) : null;
  if (accepted !== null && Object.keys(change).length === 1) return accepted;
  const season = change.season && { from: Date.parse(change.season.from) / DAY_MS, days: change.season.days };
  return done(() => leagues.change(operator, slug, { name, visibility, code, season, owner }));
}

/** Leaves a league by the operator's own codename, and removes another member. @throws Problem. */
export async function endMembership(ctx: Context, operator: number, slug: string, codename: string): Promise<void> {
  const member = await numberOf(ctx, codename);
  await done(() => ctx.accounts.leagues.endMembership(operator, slug, member));
}

/** The number of an operator by codename, 0, which no operator has, for an unknown one. */
async function numberOf({ ranking }: Context, codename: string): Promise<number> {
  return (await fromStorage(() => ranking.operators.find(codename)))?.operator ?? 0;
}

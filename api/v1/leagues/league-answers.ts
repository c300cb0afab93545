import type * as z from 'zod';
import { MS_PER_SECOND } from '../../../config/units.ts';
import type { LeagueRefusal, League as StoredLeague } from '../../../engine/accounts/index.ts';
import type { League } from '../../../engine/contract/index.ts';
import type { ApiContext } from '../../context/api-context.ts';
import { fromStorage, Problem } from '../../http/problem.ts';
import type { Caller } from '../../http/route.ts';

type Context = Pick<ApiContext, 'accounts' | 'ranking'>;

/** Whose leagues a request may read: nobody's without a token, or with one of an app that was not allowed to. */
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
  const { codeOf, successorOf } = accounts.leagues;
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
      ...(isOwner ? { code: await codeOf(league) } : {}),
      ...(wider && invitation !== null ? { successor: { slug: wider.slug, code: invitation } } : {}),
      ...(isMember && offered_until !== undefined ? { offered_until: offered_until.toISOString() } : {}),
    } satisfies z.input<typeof League>;
  });
}

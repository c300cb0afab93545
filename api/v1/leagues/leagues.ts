import * as z from 'zod';
import {
  League,
  LeagueChange,
  LeagueInvitationRequest,
  LeagueQuery,
  LeagueRequest,
} from '../../../engine/contract/index.ts';
import { defineRoute } from '../../context/api-context.ts';
import { fromStorage } from '../../http/problem.ts';
import { NO_QUERY, OWN_ROUTE } from '../../http/route.ts';
import {
  changeLeague as changed,
  codenamesIn,
  done,
  endMembership,
  leagueBody,
  makeLeague,
  openInvitation,
  openLeague,
  readerOf,
} from '../../members/leagues.ts';
import { MAX_CODENAME_LENGTH } from '../operators.ts';

export const BY_SLUG = {
  schema: z.object({ slug: z.string().min(1).max(64).meta({ description: 'The league, as in its address.' }) }),
  unmatched: 'league_unknown',
} as const;

/** What reads of a league, of which members see more, have in common. */
export const LEAGUE_READ = {
  method: 'get',
  surface: 'base',
  auth: 'optional',
  limit: 'public',
  tag: 'leagues',
  params: BY_SLUG,
} as const;

const OWN_LEAGUES = { ...OWN_ROUTE, tag: 'leagues', officialClientsOnly: true, query: NO_QUERY } as const;
const NOT_MADE = ['league_name_invalid', 'league_limit', 'leagues_made'] as const;
const OF_LEAGUE = { ...OWN_LEAGUES, params: BY_SLUG } as const;

export const createLeague = defineRoute({
  ...OWN_LEAGUES,
  method: 'post',
  path: '/leagues',
  operationId: 'createLeague',
  summary: 'Make a league',
  description:
    'A board of operators who join it with a code. You are its owner and first member. You can be in 20 leagues, and make 10 in 24 hours.',
  body: { schema: LeagueRequest, required: true },
  successes: [{ status: 201, description: 'The league, with the code to join it.', schema: League }],
  problems: NOT_MADE,
  handle: async ({ body }, { ctx, caller: { operator } }) => {
    const league = await makeLeague(ctx, operator, body);
    return { kind: 'json', status: 201, body: await leagueBody(ctx, league, operator) };
  },
});

export const listLeagues = defineRoute({
  ...OWN_LEAGUES,
  method: 'get',
  path: '/leagues',
  operationId: 'listLeagues',
  summary: 'Your leagues',
  description: 'The leagues of which you are a member, oldest first.',
  successes: [{ status: 200, description: 'Your leagues.', schema: z.object({ leagues: z.array(League) }) }],
  handle: async (_, { ctx, caller: { operator } }) => {
    const found = await fromStorage(() => ctx.accounts.leagues.ofMember(operator));
    const leagues = await Promise.all(found.map((league) => leagueBody(ctx, league, operator)));
    return { kind: 'json', status: 200, body: { leagues } };
  },
});

export const getLeague = defineRoute({
  ...LEAGUE_READ,
  query: LeagueQuery,
  path: '/leagues/{slug}',
  operationId: 'getLeague',
  summary: 'A league',
  description:
    'A league that you may see, to its members with the codenames of all; or one that you are invited to, before you join it. Only the official tool is shown codes.',
  successes: [{ status: 200, description: 'The league.', schema: League }],
  problems: ['league_unknown', 'invitation_unknown', 'validation_failed'],
  handle: async ({ params: { slug }, query: { code } }, { ctx, caller }) => {
    const league = await (code === undefined
      ? openLeague(ctx, slug, readerOf(caller))
      : openInvitation(ctx, slug, code));
    const { code: own, successor, ...body } = await leagueBody(ctx, league, readerOf(caller));
    const members = body.role === null ? {} : { members: await codenamesIn(ctx, league) };
    // An app that may read leagues cannot invite to them.
    const codes = caller?.usesOfficialClient === true ? { code: own, successor } : {};
    return { kind: 'json', status: 200, body: { ...body, ...members, ...codes } };
  },
});

export const changeLeague = defineRoute({
  ...OF_LEAGUE,
  method: 'patch',
  path: '/leagues/{slug}',
  operationId: 'changeLeague',
  summary: 'Rename, narrow or hand over a league, replace its code, or make a season',
  description:
    'Changes a league that you own. Narrowing a public one gives it another address. Widening makes a new, empty league: the members of this one see the invitation to it.',
  body: { schema: LeagueChange, required: true },
  successes: [{ status: 200, description: 'The league after the change, or the new one.', schema: League }],
  problems: ['league_unknown', 'league_owner_only', 'operator_unknown', 'season_invalid', ...NOT_MADE],
  handle: async ({ params, body }, { ctx, caller: { operator } }) => {
    const league = await changed(ctx, operator, params.slug, body);
    return { kind: 'json', status: 200, body: await leagueBody(ctx, league, operator) };
  },
});

export const deleteLeague = defineRoute({
  ...OF_LEAGUE,
  method: 'delete',
  path: '/leagues/{slug}',
  operationId: 'deleteLeague',
  summary: 'Delete a league',
  description: 'Ends a league that you own. Nothing of its members changes. This cannot be undone.',
  successes: [{ status: 204, description: 'The league is deleted.' }],
  problems: ['league_unknown', 'league_owner_only', 'operator_unknown'],
  handle: async ({ params: { slug } }, { ctx, caller: { operator } }) => {
    await done(() => ctx.accounts.leagues.delete(operator, slug));
    return { kind: 'empty', status: 204 };
  },
});

export const removeMember = defineRoute({
  ...OWN_LEAGUES,
  method: 'delete',
  path: '/leagues/{slug}/members/{codename}',
  operationId: 'removeMember',
  summary: 'Leave a league, or remove a member',
  description:
    'With your own codename: leaves the league. Its owner removes others, who cannot join again with the same code; it leaves by handing over or deleting.',
  params: {
    ...BY_SLUG,
    schema: BY_SLUG.schema.extend({
      codename: z.string().min(1).max(MAX_CODENAME_LENGTH).meta({ description: 'The codename of the member.' }),
    }),
  },
  successes: [{ status: 204, description: 'The operator is no member of the league.' }],
  problems: ['league_unknown', 'league_owner_only', 'league_owner_leaves', 'operator_unknown'],
  handle: async ({ params: { slug, codename } }, { ctx, caller: { operator } }) => {
    await endMembership(ctx, operator, slug, codename);
    return { kind: 'empty', status: 204 };
  },
});

export const joinLeague = defineRoute({
  ...OF_LEAGUE,
  method: 'post',
  path: '/leagues/{slug}/join',
  operationId: 'joinLeague',
  summary: 'Join a league',
  description:
    'Everybody who may see the league sees your row in it from then on, until you leave; a row that you hid is seen in leagues that are not public.',
  body: { schema: LeagueInvitationRequest, required: true },
  successes: [{ status: 200, description: 'You are a member of the league.', schema: League }],
  problems: ['invitation_unknown', 'league_unknown', 'league_full', 'league_limit'],
  handle: async ({ params: { slug }, body }, { ctx, caller: { operator } }) => {
    const league = await done(() => ctx.accounts.leagues.join(operator, slug, body.code));
    return { kind: 'json', status: 200, body: await leagueBody(ctx, league, operator) };
  },
});

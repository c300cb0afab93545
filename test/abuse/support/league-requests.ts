import { MCP_TOOLS } from '../../../api/mcp/tools/index.ts';
import { ROUTES } from '../../../api/routes.ts';
import { WINDOWS } from '../../../engine/contract/index.ts';
import type { SeededRandom } from '../../support/seeded-random.ts';
import { HIDDEN, NAME, OPEN, OWNER, type PrivateLeagues, type Visitor } from './private-leagues.ts';

export interface AskedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const ACCEPTS = ['application/json', 'text/html', 'text/markdown', 'image/svg+xml', 'text/event-stream'];
const ENDINGS = [
  '',
  '/',
  '.json',
  '/leaderboard',
  '/leaderboard?at=2026-05-04',
  '/leaderboard?season=2026-05-05',
  '/seasons',
  '/members',
  '/code',
  '/%00',
];
const BEGINNINGS = [
  '/league',
  '/leagues',
  '/api/v1/leagues',
  '/account/leagues',
  '/card/league',
  '/badge',
  '/operators',
  '/list',
];

/** Values that parameters take. */
const VALID: Readonly<Record<string, readonly string[]>> = {
  window: WINDOWS,
  platform: ['codex', 'claude-code'],
  limit: ['1', '100'],
  offset: ['0', '1'],
  from: ['1'],
  at: ['2026-05-04', '2026-05-04T12:00Z'],
  season: ['2026-05-05'],
  view: ['screen'],
};

/** Without what ends who asks. */
const ASKED = ROUTES.filter(({ surface, operationId }) => surface !== 'auth' && operationId !== 'eraseMe');
const OF_LEAGUES = ASKED.filter(({ path }) => path.includes('league'));

/** Pages of sign-in by GET, and those whose forms name a league. */
const PAGES = [
  '/account',
  '/account/leagues',
  '/account/league',
  '/account/league/join',
  '/account/report',
  '/account/plan',
  '/moderation',
  '/moderation/case',
  '/login',
  '/api/auth/session',
];
const FORMS = ['/account/league', '/account/league', '/account/league/join', '/account/leagues', '/moderation/league'];

type Asked = Omit<AskedRequest, 'headers'> & { readonly accept?: string; readonly form?: true };

/** What requests name, chosen at random. */
function createNames(random: SeededRandom, slugs: PrivateLeagues['slugs']) {
  const aSlug = (): string => random.pick(slugs);
  const value = (): string => random.pick([aSlug(), aSlug(), OWNER, HIDDEN, OPEN, encodeURIComponent(NAME), 'quokka']);
  return {
    random,
    aSlug,
    value,
    aLeague: () => random.pick([...slugs, OPEN]),
    aCode: () => random.pick([...slugs, 'wrong', 'A'.repeat(22)]),
    searchOf: (names: readonly string[]): string => {
      const query = names.flatMap((name) => {
        if (random.integer(0, 2) > 0) return [];
        const valid = VALID[name] ?? [];
        return [`${name}=${valid.length > 0 && random.integer(0, 3) > 0 ? random.pick(valid) : value()}`];
      });
      return query.length === 0 ? '' : `?${query.join('&')}`;
    },
  };
}

type Names = ReturnType<typeof createNames>;

/** A path of any surface. */
function target({ random, aSlug, aLeague, aCode, value, searchOf }: Names): Asked {
  const route = random.pick(random.integer(0, 2) === 0 ? OF_LEAGUES : ASKED);
  const at = route.path
    .replace(/\{slug\}/, aLeague)
    .replaceAll(/\{\w+\}/g, value)
    .replace(/:\w+/g, value);
  const names = Object.keys(route.query?.shape ?? {});
  // Many routes refuse a parameter that they do not know.
  const search = searchOf([[], names, [...names, 'league', 'slug', 'q']][random.integer(0, 2)]!);
  const path = `${route.surface === 'base' ? '/api/v1' : ''}${at}${search}`;
  const isRead = route.method === 'get';
  const method = isRead && random.integer(0, 5) === 0 ? 'HEAD' : route.method.toUpperCase();
  const given = [
    { code: aCode() },
    { name: 'x', visibility: 'public' },
    { season: { from: '2030-01-01', days: 9 } },
    { league: aSlug() },
    { owner: random.pick([OWNER, 'other-league']) },
  ];
  return { method, path, ...(isRead || method === 'DELETE' ? {} : { body: JSON.stringify(random.pick(given)) }) };
}

/** An address that no route has, or that one has with another ending. */
function guess({ random, aSlug }: Names): Asked {
  const method = random.pick(['GET', 'HEAD', 'OPTIONS', 'GET']);
  return { method, path: `${random.pick(BEGINNINGS)}/${aSlug()}${random.pick(ENDINGS)}` };
}

function page({ random, searchOf }: Names): Asked {
  return { method: 'GET', path: `${random.pick(PAGES)}${searchOf(['league', 'league', 'code', 'codename', 'id'])}` };
}

function formOf({ random, aCode, aLeague }: Names, { csrf }: Visitor): Asked {
  const does: Readonly<Record<string, string>> = random.pick([
    { code: aCode() },
    { name: 'Mine now', visibility: 'private', action: 'rename' },
    { owner: random.pick([OWNER, 'other-league']) },
    { member: random.pick([OWNER, 'other-league']) },
    { end: 'league' },
    { report: 'yes' },
    { from: '2030-01-01', days: '9' },
    { action: 'make private', name: 'x' },
  ]);
  const body = new URLSearchParams({ csrf, league: aLeague(), ...does }).toString();
  return { method: 'POST', path: random.pick(FORMS), body, form: true };
}

function mcp({ random, aLeague }: Names): Asked {
  const tool = random.pick(MCP_TOOLS).name;
  const given = random.pick([
    { name: 'get_leaderboard', arguments: { league: aLeague() } },
    { name: 'get_leaderboard', arguments: { league: aLeague(), window: random.pick(WINDOWS), limit: 100 } },
    { name: 'get_leaderboard', arguments: { around: OWNER } },
    { name: tool, arguments: { codename: random.pick([OWNER, HIDDEN]) } },
    { name: tool, arguments: { codename: 'other-league' } },
    { name: tool, arguments: {} },
  ]);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: given });
  return { method: 'POST', path: '/mcp', body, accept: 'application/json, text/event-stream' };
}

/** Requests of who is no member, with the leagues and their members wherever something can be named. */
export function createLeagueRequests(random: SeededRandom, { slugs }: Pick<PrivateLeagues, 'slugs'>) {
  const names = createNames(random, slugs);
  const kinds = (visitor: Visitor): Asked => {
    const kind = random.integer(0, 19);
    if (kind === 0) return mcp(names);
    if (kind < 3) return formOf(names, visitor);
    if (kind < 6) return page(names);
    return kind < 10 ? guess(names) : target(names);
  };
  return (visitors: readonly Visitor[]): AskedRequest => {
    const visitor = random.pick(visitors);
    const { accept = random.pick(ACCEPTS), form = false, ...asked } = kinds(visitor);
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
    const headers = {
      ...visitor.headers,
      accept,
      ...(asked.body === undefined ? {} : { 'content-type': type }),
      ...(asked.path === '/mcp' ? { 'mcp-protocol-version': '2025-06-18' } : {}),
      // What is there has not changed.
      ...(random.integer(0, 9) === 0 ? { 'if-none-match': '*' } : {}),
    };
    return { ...asked, headers };
  };
}

/** What a member reads of its leagues, with what each answer has; and the holder of a code. */
export function readsOfMember(
  { slugs, codes }: Pick<PrivateLeagues, 'slugs' | 'codes'>,
  member: AskedRequest['headers'],
) {
  const { authorization = '', cookie = '' } = member;
  return slugs.slice(0, codes.length).flatMap((slug, index): readonly (AskedRequest & { readonly shows: string })[] => {
    const call = { name: 'get_leaderboard', arguments: { league: slug } };
    const accept = 'application/json, text/event-stream';
    const html = { cookie, accept: 'text/html' };
    return [
      { method: 'GET', path: `/api/v1/leagues/${slug}`, headers: { authorization }, shows: NAME },
      { method: 'GET', path: `/api/v1/leagues/${slug}/leaderboard`, headers: { authorization }, shows: OWNER },
      { method: 'GET', path: `/api/v1/leagues/${slug}?code=${codes[index]}`, headers: {}, shows: NAME },
      { method: 'GET', path: `/account/leagues/${slug}`, headers: html, shows: HIDDEN },
      { method: 'GET', path: `/account/league?league=${slug}`, headers: html, shows: OWNER },
      {
        method: 'POST',
        path: '/mcp',
        headers: { authorization, accept, 'content-type': 'application/json', 'mcp-protocol-version': '2025-06-18' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
        shows: OWNER,
      },
    ];
  });
}

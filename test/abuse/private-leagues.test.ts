import { expect } from 'chai';
import { ROUTES } from '../../api/routes.ts';
import { WINDOWS } from '../../engine/contract/index.ts';
import { runsOf } from '../support/long-run.ts';
import { runSeed, seededRandom } from '../support/seeded-random.ts';
import { type Answered, openTestApi, type TestOperator } from '../support/test-api.ts';
import { useFixture } from '../support/use-fixture.ts';

const ANSWERS = runsOf(500, 100_000);
/** Longer than any quota's window: each request comes as if nothing had come before. */
const BETWEEN_MS = 3_700_000;

/** What only its members may read: nothing else of the service has these words. */
const NAME = 'Quokka Basement';
const OWNER = 'quokka-owner-77';
const HIDDEN = 'quokka-hidden-88';
const ACCEPTS = ['application/json', 'text/html', 'text/markdown', 'image/svg+xml', 'text/event-stream'];

/** Without events, which do not end and have rows of the board of all, and without the end of who asks. */
const ASKED = ROUTES.filter(
  ({ surface, path, operationId }) => surface !== 'auth' && !path.includes('events') && operationId !== 'eraseMe',
);

/** An answer without its address, its id, its moment, and what is left of the quota. */
const anonymous = ({ status, headers, text }: Answered, slug: string) => {
  const same = (value: string) => value.replaceAll(slug, 'SLUG').replaceAll(/urn:uuid:[0-9a-f-]{36}/g, '');
  const kept = [...headers].filter(([name]) => name !== 'date' && !name.startsWith('ratelimit'));
  return { status, headers: kept.map(([name, value]) => [name, same(value)]), text: same(text) };
};

describe('abuse: private leagues', function () {
  this.timeout(runsOf(600_000, 7_200_000));
  const seed = runSeed();
  const random = seededRandom(seed);
  const logged: unknown[] = [];

  const world = useFixture(async () => {
    const test = await openTestApi({
      context: ({ log }) => ({
        log: {
          ...log,
          debug: (...given: unknown[]) => void logged.push(given),
          warn: (...given: unknown[]) => void logged.push(given),
          error: (...given: unknown[]) => void logged.push(given),
        },
      }),
    });
    const [owner, hidden, other, plain] = [
      await test.operator(OWNER),
      await test.operator(HIDDEN),
      await test.operator('other-league'),
      await test.operator('plain-member'),
    ];
    for (const operator of [owner, hidden, other]) {
      await test.post('/api/v1/snapshots', operator.token, test.snapshot(operator));
    }
    // On no board: whatever shows either of them has it from the league.
    for (const { operator } of [owner, hidden]) await test.ranking.operators.hide(operator, true);
    await test.publish();
    const leagues = { private: await made(owner, 'private'), former: await made(owner, 'public') };
    for (const { slug, code } of Object.values(leagues)) {
      for (const { operator } of [hidden, plain]) await test.accounts.leagues.join(operator, slug, code);
    }
    // What was public is kept nowhere once it is private.
    const member = await test.token(owner.operator);
    await test.get(`/api/v1/leagues/${leagues.former.slug}/leaderboard`);
    await test.get(`/api/v1/leagues/${leagues.private.slug}/leaderboard`, { authorization: `Bearer ${member}` });
    const narrowed = await test.accounts.leagues.change(owner.operator, leagues.former.slug, {
      visibility: 'private',
    });
    if ('refused' in narrowed) throw new Error(narrowed.refused);
    const slugs = [leagues.private.slug, leagues.former.slug, narrowed.slug];
    return { test, owner, other, plain, slugs, codes: [leagues.private.code, leagues.former.code], close };

    async function made({ operator }: TestOperator, visibility: 'private' | 'public') {
      const outcome = await test.accounts.leagues.make(operator, { name: NAME, visibility });
      if ('refused' in outcome) throw new Error(outcome.refused);
      return { slug: outcome.slug, code: (await test.accounts.leagues.codeOf(outcome))! };
    }
    async function close(): Promise<void> {
      await test[Symbol.asyncDispose]();
    }
  });

  /** Tokens of people who are no members, of none, and what is no token. */
  async function authorization(): Promise<Record<string, string>> {
    const { test, owner, other, plain } = world();
    switch (random.integer(0, 5)) {
      case 0:
        return { authorization: `Bearer ${await test.token(other.operator)}` };
      case 1:
        return {
          authorization: `Bearer ${await test.token(other.operator, { scope: 'openid profile email leagues' })}`,
        };
      case 2:
        // A member's app that was not allowed to see leagues.
        return { authorization: `Bearer ${await test.token(plain.operator, { clientId: 'an-app' })}` };
      case 3:
        return { authorization: `Bearer ${await test.token(owner.operator, { audience: 'https://elsewhere.test' })}` };
      case 4:
        return { authorization: 'Bearer nonsense', cookie: `session=${random.integer(0, 1e9)}` };
      default:
        return {};
    }
  }

  const aSlug = (): string => random.pick(world().slugs);

  /** A path of any surface, with the league wherever something can be named. */
  function target(): { readonly method: string; readonly path: string } {
    const route = random.pick(ASKED);
    const value = (): string => random.pick([aSlug(), aSlug(), OWNER, HIDDEN, encodeURIComponent(NAME), 'quokka']);
    const at = route.path
      .replace(/\{slug\}/, () => aSlug())
      .replaceAll(/\{\w+\}/g, value)
      .replace(/:\w+/g, value);
    const shape = Object.keys(route.query?.shape ?? {});
    const query = [...shape, 'league', 'slug', 'q'].flatMap((name) => {
      if (random.integer(0, 2) > 0) return [];
      const given = name === 'window' ? random.pick([...WINDOWS, aSlug()]) : value();
      return [`${name}=${given}`];
    });
    const search = query.length === 0 ? '' : `?${query.join('&')}`;
    return { method: route.method.toUpperCase(), path: `${route.surface === 'base' ? '/api/v1' : ''}${at}${search}` };
  }

  function bodyOf(path: string): object {
    const code = random.pick([...world().slugs, 'wrong', 'A'.repeat(22)]);
    return random.pick([
      { code },
      { name: 'x', visibility: 'public' },
      { season: { from: '2030-01-01', days: 9 } },
      { league: path },
    ]);
  }

  /** A guess at an address that no route has, or that one has with another ending. */
  function guess(): { readonly method: string; readonly path: string } {
    const ending = random.pick([
      '',
      '/',
      '.json',
      '/leaderboard',
      '/leaderboard?at=2026-05-04',
      '/seasons',
      '/members',
      '/code',
      '/%00',
    ]);
    const begin = random.pick([
      '/league',
      '/leagues',
      '/api/v1/leagues',
      '/card/league',
      '/badge',
      '/operators',
      '/list',
    ]);
    return { method: random.pick(['GET', 'HEAD', 'OPTIONS', 'GET']), path: `${begin}/${aSlug()}${ending}` };
  }

  async function mcp(headers: Record<string, string>) {
    const given = random.pick([
      { name: 'get_leaderboard', arguments: { league: aSlug() } },
      { name: 'get_leaderboard', arguments: { league: aSlug(), window: random.pick(WINDOWS), limit: 100 } },
      { name: 'get_leaderboard', arguments: { around: OWNER } },
      { name: 'get_operator', arguments: { codename: random.pick([OWNER, HIDDEN]) } },
    ]);
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: given };
    const accept = 'application/json, text/event-stream';
    const asked = { ...headers, accept, 'mcp-protocol-version': '2025-06-18' };
    return { what: JSON.stringify(given), answered: await world().test.post('/mcp', null, body, asked) };
  }

  async function ask(): Promise<{ readonly what: string; readonly answered: Answered }> {
    const { test } = world();
    const headers = { ...(await authorization()), accept: random.pick(ACCEPTS) };
    if (random.integer(0, 9) === 0) return mcp(headers);
    const { method, path } = random.integer(0, 3) === 0 ? guess() : target();
    const hasBody = !['GET', 'HEAD', 'OPTIONS', 'DELETE'].includes(method);
    const type: Record<string, string> = hasBody ? { 'content-type': 'application/json' } : {};
    const body = hasBody ? { body: JSON.stringify(bodyOf(path)) } : {};
    const answered = await test.send(path, { method, headers: { ...headers, ...type }, ...body });
    return { what: `${method} ${path}`, answered };
  }

  it(`are in no answer to who is not a member (seed ${seed})`, async () => {
    const { test } = world();
    const statuses = new Map<number, number>();
    for (let count = 0; count < ANSWERS; count += 1) {
      test.now += BETWEEN_MS;
      const { what, answered } = await ask();
      const text = `${answered.text} ${[...answered.headers].join(' ')}`;
      // An answer may repeat what was asked: the address, but not the name, or who is in it.
      const shown = [NAME, OWNER, HIDDEN].filter(
        (secret) => text.includes(secret) && !decodeURIComponent(what).includes(secret),
      );
      expect(shown, `${what}: ${answered.status}`).to.deep.equal([]);
      if (what.includes('/leagues/'))
        expect(answered.status, what).to.be.oneOf([200, 204, 400, 401, 403, 404, 405, 406, 415]);
      if (what.startsWith('GET /api/v1/leagues/')) expect(answered.status, what).to.be.oneOf([400, 404]);
      statuses.set(answered.status, (statuses.get(answered.status) ?? 0) + 1);
    }
    expect([...statuses.keys()]).to.include.members([200, 404]);
  });

  it('answer who is not a member as an address that there is not, byte for byte', async () => {
    const { test, other } = world();
    const unknown = 'A'.repeat(22);
    const token = `Bearer ${await test.token(other.operator)}`;
    const asked = [
      ['GET', ''],
      ['GET', '/leaderboard'],
      ['GET', '/leaderboard?window=1d'],
      ['GET', '/leaderboard?season=2026-05-04'],
      ['POST', '/join', { code: 'wrong' }],
      ['DELETE', ''],
      ['DELETE', `/members/${OWNER}`],
      ['DELETE', '/members/other-league'],
      ['PATCH', '', { name: 'Mine' }],
      ['PATCH', '', { owner: 'other-league' }],
      ['PATCH', '', { code: 'replace' }],
    ] as const;
    for (const slug of world().slugs) {
      for (const [method, path, body] of asked) {
        for (const authorized of [{ authorization: token }, {}]) {
          test.now += BETWEEN_MS;
          const fresh =
            'authorization' in authorized ? { authorization: `Bearer ${await test.token(other.operator)}` } : {};
          const send = (place: string) =>
            test.send(`/api/v1/leagues/${place}${path}`, {
              method,
              headers: { ...fresh, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
              ...(body === undefined ? {} : { body: JSON.stringify(body) }),
            });
          const [found, none] = [await send(slug), await send(unknown)];
          expect(anonymous(found, slug), `${method} ${path}`).to.deep.equal(anonymous(none, unknown));
          expect(found.headers.get('cache-control')).to.equal('no-store');
        }
      }
    }
  });

  it('are in no log, and in no metric label', () => {
    const { test, slugs, codes } = world();
    const labels = test.answered.map(({ route, method }) => `${method} ${route}`).join('\n');
    const text = `${labels} ${JSON.stringify(logged, (_, value) => (value instanceof Error ? String(value.stack) : value))}`;
    expect(test.answered.length).to.be.above(ANSWERS / 2);
    for (const secret of [NAME, ...slugs, ...codes]) expect(text).to.not.include(secret);
  });
});

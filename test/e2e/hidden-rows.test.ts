import { expect } from 'chai';
import { MCP_TOOLS } from '../../api/mcp/tools/index.ts';
import { ROUTES } from '../../api/routes.ts';
import { DAY_MS, HOUR_MS } from '../../config/units.ts';
import { WINDOWS } from '../../engine/contract/index.ts';
import { RULES } from '../../engine/integrity/index.ts';
import { listAt } from '../api/conformance.ts';
import { type Answered, openTestApi, TEST_NOW, type TestApi } from '../support/test-api.ts';
import { UNPACED } from '../support/unpaced.ts';
import { useFixture } from '../support/use-fixture.ts';

const WHO = 'nova-7';
/** An unknown codename as long, and between the same others. */
const NOBODY = 'nova-8';
const OTHER = 'quiet-tide';
const PLATFORM = 'codex';

/** Query parameters that can name an operator. */
const NAMING = ['codename', 'prefix', 'operator', 'operators', 'around', 'without', 'a', 'b', 'c', 'd', 'e'];
/** What else can be asked of a read that names one. */
const VARIANTS: readonly (readonly [name: string, value: string])[] = [
  ['window', '30d'],
  ['platform', PLATFORM],
  ['at', new Date(TEST_NOW + DAY_MS).toISOString().slice(0, 10)],
  ['at', `${new Date(TEST_NOW + 2 * DAY_MS).toISOString().slice(0, 13)}:00Z`],
  ['at', '2020-01-01'],
  ['view', 'screen'],
  ['limit', '3'],
];
const ACCEPTS = ['text/html', 'text/markdown', 'application/json', 'image/svg+xml'];

interface AnyRead {
  readonly method: string;
  readonly surface: string;
  readonly path: string;
  readonly operationId: string;
  readonly auth: string;
  readonly query?: { readonly shape: Readonly<Record<string, unknown>> } | undefined;
}

/** Every target of a public read that names `codename`, by operation: paths with it, and each parameter with each variant. */
function targetsAbout(codename: string): Map<string, string[]> {
  const targets = new Map<string, string[]>();
  const reads: readonly AnyRead[] = ROUTES;
  for (const { method, surface, path, operationId, auth, query } of reads) {
    if (method !== 'get' || auth !== 'public') continue;
    const shape = Object.keys(query?.shape ?? {});
    const at = `${surface === 'base' ? '/api/v1' : ''}${path.replace('{codename}', codename)}`;
    const paths = at.includes('{rule}')
      ? RULES.map(({ name }) => at.replace('{rule}', name))
      : at.includes('{form}')
        ? ['json', 'atom'].map((form) => at.replace('{form}', form))
        : [at];
    const named = path.includes('{codename}') ? [{}] : NAMING.filter((name) => shape.includes(name)).map(naming);
    const fixed = shape.includes('yield') ? { yield: '5' } : {};
    const variants = [
      {},
      ...VARIANTS.filter(([name]) => shape.includes(name)).map((pair) => Object.fromEntries([pair])),
    ];
    const all = named.flatMap((pairs) =>
      variants.map((variant) => new URLSearchParams({ ...pairs, ...fixed, ...variant }).toString()),
    );
    const found = paths.flatMap((each) => all.map((search) => (search === '' ? each : `${each}?${search}`)));
    if (found.length > 0) targets.set(operationId, found);
  }
  return targets;

  function naming(name: string): Record<string, string> {
    if (name === 'operators') return { operators: `${OTHER},${codename.toUpperCase()}` };
    return name === 'a' ? { a: codename, b: OTHER } : { [name]: codename };
  }
}

/** An answer without its moment, its id, the hash of its text, and what is left of the quota. */
function comparable({ status, headers, text }: Answered, codename: string) {
  const instance = /urn:uuid:[0-9a-f-]{36}/g;
  const anonymous = (value: string): string =>
    value.replaceAll(codename, 'WHO').replaceAll(codename.toUpperCase(), 'WHO').replaceAll(instance, 'urn:uuid:');
  const kept = [...headers].filter(([name]) => !['date', 'etag'].includes(name) && !name.startsWith('ratelimit'));
  return { status, headers: kept.map(([name, value]) => [name, anonymous(value)]), text: anonymous(text) };
}

/** A board with history, kept boards and boards of tools, on which the operator is first. */
async function openWorld() {
  const test = await openTestApi();
  const who = await test.operator(WHO);
  await test.ranking.operators.amend(who.operator, { open: true });
  const others = [await test.operator(OTHER), await test.operator('nova-old'), await test.operator('nova')];
  for (let day = 0; day < 3; day += 1) {
    await test.ranking.advanceHour();
    for (const [place, operator] of [who, ...others].entries()) {
      const counts = { input: 100, output: (100 - 20 * place) * (day + 1), cache_read: 900, platform: PLATFORM };
      const token = await test.token(operator.operator);
      const { json } = await test.post('/api/v1/snapshots', token, test.snapshot(operator, counts));
      expect(json).to.include({ accepted: true });
    }
    await test.publish();
    await test.ranking.rebuildBoard();
    if (day < 2) test.now += DAY_MS;
  }
  await test.accounts.leagues.make(who.operator, { name: 'Open team', visibility: 'public' });
  test.now += HOUR_MS;
  await test.ranking.advanceHour();
  await rankPlatforms(test);
  return { test, who, close: () => test[Symbol.asyncDispose]() };
}

async function rankPlatforms(test: TestApi): Promise<void> {
  await test.publish();
  await test.ranking.platforms.rank(undefined, UNPACED);
  await test.publish();
}

describe('a hidden row', () => {
  const world = useFixture(openWorld);
  const get = (path: string, accept = 'application/json') =>
    world().test.get(path, { accept, 'accept-encoding': 'identity' });

  async function setHidden(hidden: boolean): Promise<Answered> {
    const { test, who } = world();
    const token = await test.token(who.operator);
    return test.send('/api/v1/me', {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ hidden }),
    });
  }

  /** The texts of all reads that list operators: of every kept board, of tools, of the site, and for programs. */
  async function listings(): Promise<Map<string, string>> {
    // The first one was kept before anybody had submitted.
    const [, ...boards] = listAt((await get('/api/v1/boards')).json, 'boards');
    expect(boards.length).to.be.above(2);
    const kept = boards.map(({ at }) => `at=${String(at).slice(0, 13)}:00Z`);
    const asked = [...WINDOWS.map((window) => `window=${window}`), `platform=${PLATFORM}`, 'offset=1', ...kept];
    const paths = [
      ...asked.map((search) => `/api/v1/leaderboard?limit=100&${search}`),
      '/api/v1/leaderboard?include=held',
      ...kept.map((search) => `/?${search}`),
      '/',
      '/?from=2',
      `/platform/${PLATFORM}`,
      '/league/open-team',
      `/league/open-team?window=30d&platform=${PLATFORM}`,
      '/league/open-team?view=screen',
      '/api/v1/leagues/open-team',
      '/api/v1/leagues/open-team/leaderboard',
      '/search?prefix=no',
      '/api/v1/operators?prefix=nov',
      '/llms-full.txt',
      `/operators/${OTHER}`,
      `/operators/nova-8`,
    ];
    const found = new Map<string, string>();
    for (const path of paths) found.set(path, (await get(path, 'text/html, application/json;q=0.9')).text);
    return found;
  }

  const entriesOf = async (search = '') => listAt((await get(`/api/v1/leaderboard?${search}`)).json, 'entries');

  it('is shown everywhere before, and caches have it', async () => {
    for (const [path, text] of await listings()) {
      if (path !== '/llms-full.txt' && path !== '/?from=2' && !path.includes('offset=1') && !path.includes('held'))
        expect(text, path).to.include(WHO);
    }
    for (const [operation, targets] of targetsAbout(WHO)) {
      let shown = 0;
      for (const target of targets)
        for (const accept of ACCEPTS) if ((await get(target, accept)).status < 400) shown += 1;
      // Else it would be read as an unknown one whatever hiding does. Without a finding there is no evidence.
      if (operation !== 'getEvidencePage') expect(shown, operation).to.be.above(0);
    }
  });

  it('is read, by every public read that can name it, as an unknown codename: byte for byte', async () => {
    expect((await setHidden(true)).json).to.include({ codename: WHO, hidden: true });
    await world().test.publish();
    const about = targetsAbout(WHO);
    expect([...about.keys()]).to.include.members([
      'getLeaderboard',
      'getStanding',
      'searchOperators',
      'searchOperatorsOnSite',
      'getOperator',
      'getOperatorHistory',
      'listOperatorSnapshots',
      'getHomePage',
      'getOperatorPage',
      'getEvidencePage',
      'findOperatorPage',
      'getComparePage',
      'getListPage',
      'getSearchPage',
      'getBadge',
      'getCard',
      'getCardPicture',
      'getBoardPicture',
      'getOperatorFeed',
    ]);
    const nobody = targetsAbout(NOBODY);
    for (const [operation, targets] of about) {
      for (const [index, target] of targets.entries()) {
        for (const accept of ACCEPTS) {
          const [hidden, unknown] = [await get(target, accept), await get(nobody.get(operation)![index]!, accept)];
          expect(comparable(hidden, WHO), `${target} as ${accept}`).to.deep.equal(comparable(unknown, NOBODY));
        }
      }
    }
  });

  const call = async (name: string, given: object, codename: string) => {
    const { test } = world();
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };
    return comparable(await test.post('/mcp', null, body, headers), codename);
  };

  it('is unknown to every tool of MCP', async () => {
    let asked = 0;
    for (const { name, input } of MCP_TOOLS) {
      const given = (codename: string) =>
        [
          { codename },
          { codename, by: 'cascade' },
          { codename, window: '30d' },
          { around: codename },
          { around: codename, at: VARIANTS[2]![1] },
          { around: codename, platform: PLATFORM },
          { codenames: [OTHER, codename] },
        ].filter((each) => input.safeParse(each).success);
      const unknown = given(NOBODY);
      for (const [index, each] of given(WHO).entries()) {
        asked += 1;
        const [hidden, other] = [await call(name, each, WHO), await call(name, unknown[index]!, NOBODY)];
        expect(hidden, `${name} ${JSON.stringify(each)}`).to.deep.equal(other);
        expect(hidden.text).to.include('No operator has');
      }
    }
    expect(asked).to.be.above(7);
  });

  it('is on no list of operators, and leaves a gap in kept boards, which say so', async () => {
    for (const [path, text] of await listings()) expect(text, path).to.not.include(WHO);
    // Made when it is first asked for, and kept for ten minutes.
    expect((await get('/sitemap-operators-0.xml')).text)
      .to.include(OTHER)
      .and.not.include(WHO);
    const day = VARIANTS[2]![1];
    const kept = await get(`/api/v1/leaderboard?at=${day}`);
    expect(kept.json).to.include({ total_operators: 4 });
    expect(listAt(kept.json, 'entries').map(({ rank }) => rank)).to.deep.equal([2, 3, 4]);
    expect((await get(`/?at=${day}`, 'text/html')).text).to.include('or hidden themselves since leave a gap');
  });

  it('counts nowhere: on the boards of tools once these are made again', async () => {
    const { test } = world();
    expect((await get('/api/v1/leaderboard')).json).to.include({ total_operators: 3 });
    expect((await entriesOf()).map(({ rank, movement_24h }) => [rank, movement_24h])).to.deep.equal([
      [1, 1],
      [2, 1],
      [3, 1],
    ]);
    const ofTool = `platform=${PLATFORM}`;
    expect((await entriesOf(ofTool)).map(({ rank }) => rank)).to.deep.equal([2, 3, 4]);
    await rankPlatforms(test);
    expect((await entriesOf(ofTool)).map(({ rank }) => rank)).to.deep.equal([1, 2, 3]);
    expect((await get(`/api/v1/leaderboard?${ofTool}`)).json).to.include({ total_operators: 3 });
  });

  it('goes on taking snapshots, and tells its operator what it would be', async () => {
    const { test, who } = world();
    const token = await test.token(who.operator);
    const counts = { input: 100, output: 400, cache_read: 900, platform: PLATFORM };
    const { json } = await test.post('/api/v1/snapshots', token, test.snapshot(who, counts));
    expect(json).to.include({ accepted: true, changed: true, hidden: true, rank: null, would_be: 1, row: 'settled' });
    await test.publish();
    expect((await get(`/api/v1/operators/${WHO}`)).status).to.equal(404);
  });

  it('comes back to its rank, not on the day on which it was hidden', async () => {
    const { test } = world();
    const { status, json, headers } = await setHidden(false);
    expect(status).to.equal(429);
    expect(json).to.include({ code: 'hiding_limit' }).and.to.have.nested.property('errors[0].pointer', '/hidden');
    expect(Number(headers.get('retry-after'))).to.equal(DAY_MS / 1_000);
    expect((await setHidden(true)).json, 'as it is already').to.include({ hidden: true });
    test.now += DAY_MS;
    expect((await setHidden(false)).json).to.include({ hidden: false });
    await rankPlatforms(test);
    expect((await get(`/api/v1/operators/${WHO}`)).json).to.include({ rank: 1 });
    expect((await entriesOf()).map(({ codename, rank }) => [codename, rank])[0]).to.deep.equal([WHO, 1]);
    expect((await entriesOf(`at=${VARIANTS[2]![1]}`)).map(({ rank }) => rank)).to.deep.equal([1, 2, 3, 4]);
  });
});

import { expect } from 'chai';
import { HOUR_MS } from '../../../../config/units.ts';
import { pixelsOf } from '../../../support/read-png.ts';
import { openTestApi, type TestApi } from '../../../support/test-api.ts';
import { UNPACED } from '../../../support/unpaced.ts';

interface Picture {
  readonly status: number;
  readonly type: string | null;
  readonly cached: string | null;
  readonly bytes: Buffer;
}

async function pictureAt(test: TestApi, path: string): Promise<Picture> {
  const response = await fetch(`${test.origin}${path}`);
  const { status, headers } = response;
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status, type: headers.get('content-type'), cached: headers.get('cache-control'), bytes };
}

const KEPT = 'public, max-age=900, s-maxage=900, stale-while-revalidate=600';

async function openField(operators: Map<string, number>): Promise<TestApi> {
  const test = await openTestApi();
  for (const [index, codename] of ['shown-one', 'shown-two', 'shown-three'].entries()) {
    const operator = await test.operator(codename);
    operators.set(codename, operator.operator);
    const snapshot = test.snapshot(operator, { output: 50 - index, platform: 'codex' });
    await test.post('/api/v1/snapshots', operator.token, snapshot);
  }
  await test.publish();
  await test.ranking.platforms.rank(undefined, UNPACED);
  await test.publish();
  return test;
}

describe('site: pictures', () => {
  let test: TestApi;
  const operators = new Map<string, number>();
  const textOf = async (query: string) => (await test.get(`/badge/shown-one.svg${query}`)).text;
  const at = (path: string) => pictureAt(test, path);

  beforeEach(async () => {
    test = await openField(operators);
  });
  afterEach(() => test[Symbol.asyncDispose]());

  it('are the previews of pages: of operators, boards, tools and lists', async () => {
    for (const [page, picture] of [
      ['/', '/board.png'],
      ['/?window=7d', '/board.png?window=7d'],
      ['/operators/shown-one?window=30d', '/card/shown-one.png?window=30d'],
      ['/platform/codex', '/board.png?platform=codex'],
      ['/platform/codex?window=90d', '/board.png?platform=codex&window=90d'],
      ['/list?operators=shown-three,shown-one', '/board.png?operators=shown-three,shown-one'],
      ['/methodology', '/preview.png'],
    ]) {
      const { text } = await test.get(page!, { accept: 'text/html' });
      const [, address = ''] = /<meta property="og:image" content="http:\/\/upsilon\.test([^"]+)">/.exec(text) ?? [];
      expect(address.replaceAll('&amp;', '&'), page).to.equal(picture);
      const { status, type, bytes } = await at(picture!);
      expect([status, type], page).to.deep.equal([200, 'image/png']);
      const { width, height } = picture === '/preview.png' ? { width: 1_200, height: 630 } : pixelsOf(bytes);
      expect([width, height], page).to.deep.equal([1_200, 630]);
    }
  });

  it('are of public leagues alone, and kept by nothing', async () => {
    const { leagues } = test.accounts;
    const of = async (visibility: 'public' | 'unlisted' | 'private') => {
      const made = await leagues.make(operators.get('shown-one')!, { name: 'The 日本 team', visibility });
      if ('refused' in made) throw new Error(made.refused);
      return made.slug;
    };
    const slug = await of('public');
    const { text } = await test.get(`/league/${slug}?window=30d`, { accept: 'text/html' });
    expect(text).to.include(`content="http://upsilon.test/card/league/${slug}.png?window=30d"`);
    const { status, type, cached, bytes } = await at(`/card/league/${slug}.png`);
    expect([status, type, cached]).to.deep.equal([200, 'image/png', 'no-store']);
    expect(pixelsOf(bytes)).to.include({ width: 1_200, height: 630 });
    for (const visibility of ['unlisted', 'private'] as const) {
      const other = await of(visibility);
      const [none, never] = [await test.get(`/card/league/${other}.png`), await test.get('/card/league/nowhere.png')];
      const bodies = [none, never].map(({ json }) => ({ ...json, instance: null }));
      expect(bodies[0], visibility).to.deep.equal(bodies[1]);
      expect(none.status).to.equal(404);
    }
    await leagues.change(operators.get('shown-one')!, slug, { visibility: 'private' });
    expect((await at(`/card/league/${slug}.png`)).status).to.equal(404);
  });

  it('of a league have who is in it now', async () => {
    const { leagues } = test.accounts;
    const [owner, member] = ['shown-one', 'shown-two'].map((codename) => operators.get(codename)!);
    const made = await leagues.make(owner!, { name: 'The team', visibility: 'public' });
    if ('refused' in made) throw new Error(made.refused);
    const { slug } = made;
    const alone = await at(`/card/league/${slug}.png`);
    expect(await leagues.join(member!, slug, (await leagues.codeOf(made))!)).to.have.property('slug', slug);
    expect((await at(`/card/league/${slug}.png`)).bytes.equals(alone.bytes), 'of two').to.equal(false);
    expect(await leagues.endMembership(member!, slug, member!)).to.have.property('slug', slug);
    expect((await at(`/card/league/${slug}.png`)).bytes.equals(alone.bytes), 'after one left').to.equal(true);
  });

  it('answer for an erased operator as for an unknown one, from the next request on', async () => {
    const paths = ['/card/NAME.svg', '/card/NAME.png', '/card/NAME.svg?platform=codex', '/badge/NAME.svg'];
    for (const path of paths) expect((await at(path.replace('NAME', 'shown-two'))).status, path).to.equal(200);
    const former = await at('/board.png');
    await test.api.ctx.members.erase(operators.get('shown-two')!);
    test.now += 2_000;
    for (const path of paths) {
      const [gone, never] = [
        await test.get(path.replace('NAME', 'shown-two')),
        await test.get(path.replace('NAME', 'never-there')),
      ];
      const bodies = [gone, never].map(({ json }) => ({ ...json, instance: null }));
      expect(bodies[0], path).to.deep.equal(bodies[1]);
      expect(gone.status, path).to.equal(404);
      expect(gone.headers.get('cache-control'), path).to.equal(never.headers.get('cache-control'));
    }
    await test.publish();
    expect((await at('/board.png')).bytes.equals(former.bytes)).to.equal(false);
  });

  it('change at once with a name, and else after an hour', async () => {
    const path = '/card/shown-one.png';
    const former = await at(path);
    expect(former.cached).to.equal(KEPT);
    const { ranking, now } = test;
    await ranking.operators.setDisplayName(operators.get('shown-one')!, 'Ada Lovelace');
    const named = await at(path);
    expect(named.bytes.equals(former.bytes)).to.equal(false);
    await ranking.operators.erase(operators.get('shown-three')!);
    await test.publish();
    test.now = now + HOUR_MS - 1;
    expect((await at(path)).bytes.equals(named.bytes), 'of 3').to.equal(true);
    test.now = now + HOUR_MS + 1;
    expect((await at(path)).bytes.equals(named.bytes), 'of 2').to.equal(false);
  });

  it('are other ones for each window, tool, theme and list, and once there is a rank', async () => {
    const made = await test.accounts.leagues.make(operators.get('shown-one')!, { name: 'Trio', visibility: 'public' });
    if ('refused' in made) throw new Error(made.refused);
    const fresh = await test.operator('fresh-one');
    const unranked = await at('/card/fresh-one.png');
    const paths = [
      ...['', '?window=7d', '?platform=codex', '?operators=shown-one', '?operators=shown-one,shown-two'].map(
        (query) => `/board.png${query}`,
      ),
      ...['', '?window=7d', '?platform=codex', '?theme=light'].map((query) => `/card/shown-one.png${query}`),
      ...['', '?window=7d'].map((query) => `/card/league/${made.slug}.png${query}`),
    ];
    const drawn = new Set<string>();
    for (const path of paths) drawn.add((await at(path)).bytes.toString('base64'));
    expect(drawn.size).to.equal(paths.length);
    await test.post('/api/v1/snapshots', fresh.token, test.snapshot(fresh, { output: 10 }));
    await test.publish();
    expect((await at('/card/fresh-one.png')).bytes.equals(unranked.bytes)).to.equal(false);
  });

  it('are the static one, which no cache keeps, while none can be drawn', async () => {
    const still = await at('/preview.png');
    const drawn = await at('/card/shown-one.png');
    expect(drawn.bytes.equals(still.bytes)).to.equal(false);
    await test.api.ctx.pictures.close();
    for (const path of ['/card/shown-two.png', '/card/shown-one.png?theme=light', '/board.png']) {
      const { status, cached, bytes } = await at(path);
      expect([status, cached, bytes.equals(still.bytes)], path).to.deep.equal([200, 'no-store', true]);
    }
    expect(await at('/card/shown-one.png')).to.deep.equal(drawn);
    expect((await at('/card/shown-two.svg')).status).to.equal(200);
  });

  it('refuse what they do not know', async () => {
    for (const [path, code] of [
      ['/card/shown-one.svg?window=1d', 'window_invalid'],
      ['/card/shown-one.svg?theme=blue', 'validation_failed'],
      ['/card/shown-one.png?platform=editor', 'platform_unknown'],
      ['/card/shown-one.png?at=2026-05-01', 'parameter_not_supported'],
      ['/badge/shown-one.svg?metric=tokens', 'validation_failed'],
      ['/badge/shown-one.svg?platform=codex', 'parameter_not_supported'],
      ['/board.png?operators=no%20name', 'operators_invalid'],
      ['/board.png?limit=3', 'parameter_not_supported'],
      ['/board.png?window=7d&window=7d', 'query_repeated'],
    ] as const) {
      const { status, json } = await test.get(path);
      expect([status, json?.['code']], path).to.deep.equal([400, code]);
    }
    expect((await test.get('/board.png?campaign=x')).status).to.equal(200);
  });

  it('are badges of a metric, a window and a theme', async () => {
    expect(await textOf(''))
      .to.include('>#1 ')
      .and.include('.f-paper{fill:#12161a}')
      .and.not.include('@media');
    expect(await textOf('?metric=percentile')).to.include('>percentile 100%<');
    expect(await textOf('?metric=tier&window=7d')).to.match(/>(SEEKER|BASE|POWER)</);
    expect(await textOf('?metric=yield&theme=light'))
      .to.include('>Yield ')
      .and.include('.f-paper{fill:#f7f5f0}');
    expect(await textOf('?theme=auto')).to.include('@media(prefers-color-scheme:dark){.f-paper{fill:#12161a}');
  });
});

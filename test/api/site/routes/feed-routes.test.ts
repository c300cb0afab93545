import { expect } from 'chai';
import { DAY_MS, HOUR_MS } from '../../../../config/units.ts';
import { inlineJobs } from '../../../support/inline-jobs.ts';
import { openTestApi, type TestOperator } from '../../../support/test-api.ts';
import { useFreshFixture } from '../../../support/use-fixture.ts';

/** Bytes of a feed with the most items. */
const MAX_BYTES = 64 * 1024;

interface Item {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly date_published: string;
}

describe('feeds', () => {
  const test = useFreshFixture(openTestApi);

  /** A later hour, whose board is kept. */
  async function hour(): Promise<void> {
    test().now += HOUR_MS;
    await test().ranking.advanceHour();
    await test().publish();
    await test().ranking.compactBoard();
    await test().publish();
  }

  async function submit(operator: TestOperator, output: number): Promise<void> {
    const token = await test().token(operator.operator);
    const { status } = await test().post('/api/v1/snapshots', token, test().snapshot(operator, { output }));
    expect(status).to.equal(200);
    await test().publish();
  }

  /** Operators whose counts were imported, best first. */
  async function importMany(count: number): Promise<void> {
    const usage = { ledger: 'one', platform: 'editor', epoch: 0, asOf: test().now - HOUR_MS };
    await test().ranking.operators.import(
      Array.from({ length: count }, (_, index) => ({
        codename: `imported-${index}`,
        displayName: null,
        usage: [{ ...usage, counts: { input: 10, output: 1_000 - index, cache_read: 10, cache_write: 0 } }],
      })),
    );
    await test().ranking.rebuildBoard();
    await test().publish();
  }

  async function switchMethodology(): Promise<void> {
    const jobs = inlineJobs();
    await test().ranking.rerank.start({ kind: 'activate', methodology: 2 });
    await test().ranking.rerank.supervise(jobs);
    await jobs.work(test().ranking);
    await test().publish();
  }

  async function itemsOf(path = '/feed.json'): Promise<readonly Item[]> {
    const { status, headers, json } = await test().get(path);
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'application/feed+json; charset=utf-8']);
    return Object(json).items;
  }
  const titles = async (path?: string) => (await itemsOf(path)).map(({ title }) => title);

  it('report who is first, who entered and left, and tiers, newest first, with ids that stay', async () => {
    const [one, two] = [await test().operator('riser'), await test().operator('faller')];
    await importMany(100);
    await submit(two, 2_000);
    await hour();
    const begun = await itemsOf();
    await hour();
    expect(await itemsOf(), 'an hour without changes').to.deep.equal(begun);
    await submit(one, 3_000);
    await hour();
    const all = await itemsOf();
    const first = all.slice(0, 3);
    expect(all.slice(3)).to.deep.equal(begun.slice(0, 97));
    expect(first.map(({ title }) => title)).to.deep.equal([
      'riser is first on the board',
      'imported-8 left the first ten, at rank 11',
      'imported-98 left the first hundred',
    ]);
    const at = new Date(test().now).toISOString();
    expect(first[0]).to.deep.equal({
      id: `http://upsilon.test/operators/riser#first-${at}`,
      url: 'http://upsilon.test/operators/riser',
      title: 'riser is first on the board',
      content_text: 'riser is first on the board',
      date_published: at,
    });
    await submit(two, 5_000);
    await hour();
    const later = (await itemsOf()).slice(0, 5);
    expect(later.map(({ title }) => title)).to.deep.equal([
      'faller is first on the board',
      'faller reached the tier ARCH',
      ...first.map(({ title }) => title),
    ]);
    expect(later.slice(2)).to.deep.equal(first);
    expect(new Set(later.map(({ id }) => id))).to.have.property('size', later.length);
    expect((await titles('/operators/RISER/feed.json'))[0]).to.equal('riser is first on the board');
    const left = (await titles('/operators/imported-98/feed.json'))[0];
    expect(left).to.equal('imported-98 left the first hundred, at rank 101');
    for (let passed = 0; passed < DAY_MS; passed += HOUR_MS) await hour();
    expect(await titles(), 'a day later').to.deep.equal([]);
  });

  it('leave out an operator that was erased or unlisted, whose own feed is that of an unknown codename', async () => {
    const names = ['erased-one', 'unlisted-one', 'staying-one'] as const;
    await hour();
    const operators = [];
    for (const name of names) operators.push(await test().operator(name));
    for (const [index, operator] of operators.entries()) await submit(operator, 100 + index);
    await hour();
    expect(await titles()).to.have.length(3);
    await test().ranking.operators.erase(operators[0]!.operator);
    await test().ranking.operators.amend(operators[1]!.operator, { listed: false });
    await test().publish();
    for (const path of ['/feed.json', '/feed.atom']) {
      const { text } = await test().get(path);
      expect(text)
        .to.include('staying-one')
        .and.not.match(/erased-one|unlisted-one/);
    }
    for (const form of ['json', 'atom']) {
      const unknown = await test().get(`/operators/never-there/feed.${form}`);
      expect([unknown.status, unknown.json?.['code']]).to.deep.equal([404, 'operator_unknown']);
      for (const name of ['erased-one', 'unlisted-one']) {
        const { status, json } = await test().get(`/operators/${name}/feed.${form}`);
        expect([status, json?.['code'], json?.['detail']]).to.deep.equal([
          404,
          'operator_unknown',
          unknown.json?.['detail'],
        ]);
      }
    }
    expect((await test().get('/feed.xml')).status).to.equal(404);
  });

  it('report a switch of the methodology', async () => {
    await submit(await test().operator('switched-one'), 500);
    await hour();
    await switchMethodology();
    const title = 'The board switched to methodology 2';
    expect((await titles())[0]).to.equal(title);
    expect(await titles('/operators/switched-one/feed.json')).to.include(title);
    const before = await itemsOf();
    await hour();
    expect((await itemsOf()).filter((item) => item.title === title)).to.deep.equal(
      before.filter((item) => item.title === title),
    );
  });

  it('report no tier between boards of two methodologies, and the next one after it', async () => {
    const riser = await test().operator('riser');
    const tiers = async () => (await titles()).filter((title) => title.includes('the tier'));
    await submit(riser, 500);
    await hour();
    await submit(riser, 20_000);
    await switchMethodology();
    await hour();
    expect(await tiers()).to.deep.equal([]);
    await submit(riser, 60_000);
    await hour();
    expect(await tiers()).to.deep.equal(['riser reached the tier ARCH+']);
    expect(await titles('/operators/riser/feed.json')).to.deep.equal(await titles());
  });

  it('are bounded, in both forms, and every page names them', async () => {
    await hour();
    await importMany(300);
    await hour();
    const { text } = await test().get('/feed.atom');
    const json = await test().get('/feed.json');
    expect(Object(json.json)).to.include({
      version: 'https://jsonfeed.org/version/1.1',
      home_page_url: 'http://upsilon.test',
      feed_url: 'http://upsilon.test/feed.json',
    });
    expect(Object(json.json).items).to.have.length(100);
    expect(Math.max(text.length, json.text.length)).to.be.below(MAX_BYTES);
    expect(text).to.match(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom"/,
    );
    expectNested(text);
    for (const tag of ['entry', 'content']) expect(text.split(`<${tag}>`)).to.have.length(101);
    expect(text.split('<id>'), 'of the feed and of each entry').to.have.length(102);
    expect(text).to.include('<link rel="self" href="http://upsilon.test/feed.atom"/>');
    const page = (await test().get('/operators/imported-0', { accept: 'text/html' })).text;
    for (const form of ['atom', 'json']) {
      expect(page).to.include(`href="http://upsilon.test/feed.${form}"`);
      expect(page).to.include(`href="http://upsilon.test/operators/imported-0/feed.${form}"`);
    }
  });
});

/** Fails where tags do not nest, and at characters that XML escapes. */
function expectNested(xml: string): void {
  const open: string[] = [];
  for (const [, close, name = '', single] of xml.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
    if (close === '/') expect(open.pop()).to.equal(name);
    else if (single !== '/') open.push(name);
  }
  expect(open).to.deep.equal([]);
  expect(xml.replaceAll(/<[^<>]+>/g, '')).to.not.match(/[<>]|&(?!amp;|lt;|gt;|quot;|#39;)/);
}

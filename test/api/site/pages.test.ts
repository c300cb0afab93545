import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { RATE_POLICIES } from '../../../api/http/rate-limit/rate-policy.ts';
import { HOSTILE, HOSTILE_NAME, openSiteFixture, RISING, STEADY } from '../../support/site-field.ts';
import { openTestApi } from '../../support/test-api.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { type Crawled, crawl } from './crawl.ts';
import { SITE_PATHS } from './site-paths.ts';

const PATHS = [
  ...SITE_PATHS,
  `/compare?a=${RISING}&b=${STEADY}&window=30d`,
  '/calculator?input=2580&output=53970&cache_read=430500',
];

const HTML = 'text/html; charset=utf-8';
const MARKDOWN = 'text/markdown; charset=utf-8';

/** The words of a page: tags away, entities read. */
function words(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

describe('site: pages', () => {
  const test = useFixture(() => openSiteFixture(3, 5));

  for (const path of PATHS) {
    describe(path, () => {
      it('is html or Markdown by Accept, with Vary', async () => {
        for (const [accept, type] of [
          ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', HTML],
          ['text/markdown', MARKDOWN],
          ['text/html;q=0.4, text/markdown;q=0.5', MARKDOWN],
          ['text/*', HTML],
          ['*/*', HTML],
        ] as const) {
          const { status, headers } = await test().get(path, { accept });
          expect([status, headers.get('content-type')], accept).to.deep.equal([200, type]);
          expect(headers.get('vary')).to.match(/^Accept, Accept-Encoding$/);
          expect(headers.get('content-signal')).to.equal('search=yes, ai-input=yes, ai-train=no, use=reference');
          expect(headers.get('link')).to.match(/^<http:\/\/upsilon\.test\/[^>]*>; rel="canonical"$/);
        }
      });

      it('is refused with 406 to who takes neither', async () => {
        for (const accept of ['image/png', 'text/html;q=0, text/markdown;q=0', 'application/pdf']) {
          const { status, json, headers } = await test().get(path, { accept });
          expect([status, json?.['code']], accept).to.deep.equal([406, 'not_acceptable']);
          expect(headers.get('vary')).to.equal('Accept');
        }
      });

      it('runs and loads nothing that the policy would have to excuse', async () => {
        const { headers, text } = await test().get(path, { accept: 'text/html' });
        const policy = headers.get('content-security-policy') ?? '';
        // Only the view for a screen may be framed.
        expect(policy.replace(path.endsWith('&view=screen') ? 'frame-ancestors *' : 'no such text', ''))
          .to.match(/default-src 'none'/)
          .and.not.match(/unsafe|\*/);
        expect(text).to.not.match(/\sstyle="|<style|\son[a-z]+="|javascript:[^a]/i);
        expect(text.match(/<script(?! src="\/assets\/| type="application\/ld\+json")/g)).to.equal(null);
        expect(text).to.match(/<html lang="en">/);
        expect(text.match(/<h1[ >]/g)).to.have.length(1);
      });

      it('says in Markdown what it says in html', async () => {
        const page = await test().get(path, { accept: 'text/html' });
        const markdown = await test().get(path, { accept: 'text/markdown' });
        const cells = Array.from(
          page.text.matchAll(/<(?:td|dd|th|h1|h2|h3)[^>]*>([\s\S]*?)<\/(?:td|dd|th|h1|h2|h3)>/g),
        );
        const said = markdown.text.replaceAll(/\\(.)/gu, '$1').replaceAll(/\s+/g, ' ');
        for (const [, cell = ''] of cells) {
          const visible = cell.replaceAll(/<span class="said">[^<]*<\/span>|<svg[\s\S]*?<\/svg>/g, '');
          for (const piece of visible.split(/<[^>]*>/)) {
            const fact = words(piece)
              .replaceAll(/[\u202a-\u202e]/g, ' ')
              .replaceAll(/\s+/g, ' ')
              .trim();
            expect(said, fact).to.include(fact);
          }
        }
        expect(markdown.text).to.match(/^# /);
      });

      it('has a validator for each form and encoding, and 304 for it', async () => {
        const tags = new Set<string>();
        for (const accept of ['text/html', 'text/markdown']) {
          const { headers } = await test().get(path, { accept, 'accept-encoding': 'identity' });
          const tag = headers.get('etag') ?? '';
          tags.add(tag);
          const again = await test().get(path, { accept, 'accept-encoding': 'identity', 'if-none-match': tag });
          expect([again.status, again.text]).to.deep.equal([304, '']);
        }
        expect(tags.size).to.equal(2);
      });
    });
  }

  it('reach each other: every link leads somewhere, and every fragment is there', async () => {
    const reached = await crawl(test(), ['/', '/sitemap.xml', ...PATHS], 400);
    const bad = [...reached.values()].filter(({ status }) => status !== 200 && status !== 303);
    expect(bad.map(({ path, status }) => `${status} ${path}`)).to.deep.equal([]);
    const lost = [...reached.values()].flatMap(({ path, links }) =>
      links.filter((href) => href.includes('#') && !leads(href, reached)).map((href) => `${path}: ${href}`),
    );
    expect(lost).to.deep.equal([]);
    expect(reached.size).to.be.above(100);
  });

  it('have titles that begin with a capital letter or a codename', async () => {
    for (const path of PATHS) {
      const { text } = await test().get(path, { accept: 'text/html' });
      const [, title = ''] = /<title>([^<]*)</.exec(text) ?? [];
      expect(/^[A-Z]/.test(title) || path.includes(title.split(/[ ,]/, 1)[0] ?? ''), `${path}: ${title}`).to.equal(
        true,
      );
    }
  });

  it('say where a scale is logarithmic', async () => {
    const { text } = await test().get(`/operators/${RISING}`, { accept: 'text/html' });
    expect(text).to.match(/<figure class="dots".*Logarithmic scale/);
  });

  it('let codes break only after an underscore or a slash', async () => {
    const { text } = await test().get('/developers/errors', { accept: 'text/html' });
    expect(text).to.include('<code>limit_<wbr>out_<wbr>of_<wbr>bounds</code>');
  });

  it('speak to people where something is wrong, and give advice for programs only to programs', async () => {
    const lost = await test().get('/nothing-here', { accept: 'text/html' });
    expect(lost.text).to.include('This page does not exist.').and.to.not.include('API description.');
    expect((await test().get('/nothing-here')).json).to.have.property('hint', 'See the API description.');
    const rates = { ...RATE_POLICIES, pages: { ...RATE_POLICIES.pages, quota: 1 } };
    await using busy = await openTestApi({ settings: { rates } });
    await busy.get('/developers', { accept: 'text/html' });
    const refused = await busy.get('/developers', { accept: 'text/html' });
    expect(refused.status).to.equal(429);
    expect(refused.text)
      .to.match(/You have made too many requests\. Try again in \d+ seconds?\./)
      .and.to.not.include('Retry-After')
      .and.to.not.include('programs');
  });

  it('explain an address that is not valid to people, and give programs what they read', async () => {
    for (const [path, said, written] of [
      ['/?window=1d', 'The windows are All time, 7 days, 30 days and 90 days.', 'The window is unknown: window.'],
      ['/?limit=101', 'The board shows 1 to 100 operators.', 'The limit is out of bounds: limit.'],
      ['/?limit=3&limit=4', 'This address is not valid', 'A query parameter is repeated'],
      ['/nothing-here', 'Find an operator', 'OpenAPI description'],
    ] as const) {
      const { text } = await test().get(path, { accept: 'text/html' });
      expect(text, path)
        .to.include(said)
        .and.to.include('Getting started</a>')
        .and.to.not.include(written)
        .and.to.not.match(/for programs|for language models/);
      expect((await test().get(path, { accept: 'text/markdown' })).text, path)
        .to.include(written)
        .and.to.match(/OpenAPI description.*for programs/);
    }
  });

  it('show names that try everything as nothing but names', async () => {
    const { text } = await test().get(`/operators/${HOSTILE}`, { accept: 'text/html' });
    expect(text).to.not.include('<img src=x');
    expect(text).to.include('<bdi>&lt;img src=x onerror=alert(1)&gt;');
    const data = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text)?.[1] ?? '';
    expect(JSON.parse(data)).to.have.nested.property('mainEntity.name', HOSTILE_NAME);
    const markdown = await test().get(`/operators/${HOSTILE}`, { accept: 'text/markdown' });
    expect(markdown.text).to.include(String.raw`\<img src=x onerror=alert(1)\>`);
  });

  it('show the window and the length that were asked for', async () => {
    const few = await test().get('/?limit=3', { accept: 'text/html' });
    expect(rows(few.text)).to.equal(3);
    expect((await test().get('/?window=7d&utm_source=elsewhere', { accept: 'text/html' })).status).to.equal(200);
    const wrong = await test().get('/?window=1d', { accept: 'text/html' });
    expect([wrong.status, wrong.headers.get('content-type')]).to.deep.equal([400, HTML]);
    expect(wrong.text).to.include('window_invalid');
    expect((await test().get('/?limit=101', { accept: 'text/markdown' })).headers.get('content-type')).to.equal(
      MARKDOWN,
    );
  });

  it('of operators show the window that was asked for, and lead to the others', async () => {
    const week = await test().get(`/operators/${RISING}?window=7d`, { accept: 'text/markdown' });
    const { text: json } = await test().get(`/api/v1/operators/${RISING}`);
    const { rank } = JSON.parse(json).windows['7d'];
    const { total_operators: total } = JSON.parse((await test().get('/api/v1/leaderboard?window=7d')).text);
    expect(week.text).to.include(`- **Rank**: ${rank} of ${total}\n`).and.to.include('over the last 7 days');
    const { text } = await test().get(`/operators/${RISING}?window=7d`, { accept: 'text/html' });
    expect(text).to.include(`<link rel="canonical" href="http://upsilon.test/operators/${RISING}?window=7d">`);
    expect(text).to.include(`href="/operators/${RISING}">All time`);
    expect(text).to.include('name="window" value="7d"');
    for (const path of [`/operators/${RISING}?window=1d`, `/compare?a=${RISING}&b=${STEADY}&window=7D`]) {
      const wrong = await test().get(path, { accept: 'text/html' });
      expect([wrong.status, wrong.text.includes('window_invalid')], path).to.deep.equal([400, true]);
    }
  });

  it('lead from a typed codename to its operator', async () => {
    const found = await test().get('/operators?codename=+Nova-7+');
    expect([found.status, found.headers.get('location')]).to.deep.equal([303, `/?around=${RISING}`]);
    for (const [typed, leadsTo] of [
      ['no-tokens-yet', '/operators/no-tokens-yet'],
      ['nova', '/search?prefix=nova'],
      ['nobody-here', '/operators/nobody-here'],
    ]) {
      expect((await test().get(`/operators?codename=${typed}`)).headers.get('location'), typed).to.equal(leadsTo);
    }
    expect((await test().get('/search?prefix=NOVA', { accept: 'text/html' })).text).to.include(
      'href="/operators/nova-7"',
    );
    expect((await test().get('/search?prefix=nobody', { accept: 'text/html' })).text).to.include(
      'No codename begins with',
    );
    const odd = await test().get('/operators?codename=%2F%2Fevil.test');
    expect(odd.headers.get('location')).to.equal('/operators/%2F%2Fevil.test');
    expect((await test().get('/operators?codename=')).headers.get('location')).to.equal('/');
  });

  it('lead to a place on the board, and show it', async () => {
    const location = async (query: string) => (await test().get(`/${query}`)).headers.get('location');
    const { entries } = JSON.parse((await test().get('/api/v1/leaderboard?limit=100')).text);
    const at = entries.findIndex(({ codename }: { codename: string }) => codename === RISING);
    const from = Math.floor(at / 10) * 10 + 1;
    const query = from === 1 ? '?limit=10' : `?from=${from}&limit=10`;
    expect(await location(`?around=${RISING}&limit=10`)).to.equal(`/${query}#row-${RISING}`);
    expect((await test().get(`/${query}`, { accept: 'text/html' })).text).to.include(`id="row-${RISING}"`);
    expect(await location('?percentile=0&limit=10')).to.match(/^\/\?from=\d+1&limit=10$/);
    const whole = `?limit=${entries.length}`;
    expect(await location(`${whole}&percentile=0`), 'the last row of a whole page').to.equal(`/${whole}`);
    expect(await location('?percentile=100')).to.equal('/');
    expect(await location('?tier=arch%2B')).to.equal('/');
    expect(await location('?tier=ARCH+'), 'a plus that was not escaped').to.equal('/');
    const ofWindow = await test().get('/operators?codename=nova-7&window=7d');
    expect(ofWindow.headers.get('location')).to.equal(`/?around=${RISING}&window=7d`);
    const deep = await test().get('/?from=11&limit=10', { accept: 'text/html' });
    expect(deep.headers.get('x-robots-tag')).to.equal('noindex');
    expect(deep.headers.get('link')).to.include('/?from=11&limit=10');
    expect(deep.text).to.include(entries[10].codename).and.to.include('href="/?limit=10"').and.to.include('noindex');
    const past = await test().get('/?from=900', { accept: 'text/html' });
    expect([past.status, past.text.includes('The board ends at place')]).to.deep.equal([200, true]);
    for (const [wrong, code] of [
      ['?from=0', 'place_invalid'],
      ['?tier=MASTER', 'tier_unknown'],
      ['?percentile=101', 'percentile_invalid'],
      ['?percentile=1&tier=BASE', 'parameters_conflict'],
      ['?around=no-tokens-yet', 'operator_unranked'],
      ['?at=2020-01-01', 'board_not_kept'],
    ]) {
      const { status, text } = await test().get(`/${wrong}`, { accept: 'text/html' });
      expect([status, text.includes(code ?? '')], wrong).to.deep.equal([400, true]);
    }
    expect((await test().get('/?around=nobody-here', { accept: 'text/html' })).status).to.equal(404);
  });

  it('show a kept board, with what was kept of its rows', async () => {
    const { boards } = JSON.parse((await test().get('/api/v1/boards')).text);
    const hour = `${boards[1].at.slice(0, 13)}:00Z`;
    const { entries } = JSON.parse((await test().get(`/api/v1/leaderboard?at=${hour}`)).text);
    const { text } = await test().get(`/?at=${hour}`, { accept: 'text/markdown' });
    for (const { codename } of entries) expect(text).to.include(codename);
    const { text: markup } = await test().get(`/?at=${hour}`, { accept: 'text/html' });
    expect(markup).to.include(`<option value="${hour}" selected>`).and.to.not.include('not ranked then');
  });

  it('rank any list, in large type too, which alone may be framed', async () => {
    const path = `/list?operators=${STEADY},${RISING},nobody-here,no-tokens-yet`;
    const { text, headers } = await test().get(path, { accept: 'text/html' });
    for (const said of [RISING, STEADY, 'of all: ', 'No operator has the codename nobody-here', 'is not ranked']) {
      expect(text).to.include(said);
    }
    expect(headers.get('x-robots-tag')).to.equal('noindex');
    expect(headers.get('content-security-policy')).to.include("frame-ancestors 'none'");
    const screen = await test().get(`${path}&view=screen`, { accept: 'text/html' });
    expect(screen.headers.get('content-security-policy')).to.include('frame-ancestors *');
    expect(screen.text).to.not.match(/<form|<nav/);
    const hostile = await test().get('/list?operators=%3Cscript%3E', { accept: 'text/html' });
    expect([hostile.status, hostile.text.includes('<script>')]).to.deep.equal([400, false]);
  });

  it('tell who is not there, and who has a similar codename', async () => {
    const { status, text } = await test().get('/operators/nova-8', { accept: 'text/html' });
    expect(status).to.equal(404);
    expect(text).to.include('href="/operators/nova-7"');
    const compared = await test().get('/compare?a=nova-7&b=nobody-here', { accept: 'text/html' });
    expect(compared.text).to.include('No operator has the codename <strong>nobody-here</strong>');
    const odd = await test().get('/compare?a=no%00bo%1bdy&b=%20', { accept: 'text/html' });
    expect(odd.text).to.include('No operator has the codename <strong>nobody</strong>');
  });

  it('calculate without a script', async () => {
    const { text } = await test().get('/calculator?input=2580&output=53.97k&cache_read=430%2C500', {
      accept: 'text/markdown',
    });
    expect(text)
      .to.include('**Yield**: 3,490')
      .and.to.match(/\*\*Rank\*\*: \d+ of \d+/)
      .and.to.include(
        '**Next tier: ARCH**, from a Yield of 10,000: 101,000 more tokens of output, or 803,000 more cache reads',
      );
    const wrong = await test().get('/calculator?input=many&output=1&cache_read=%3Cb%3E', { accept: 'text/html' });
    expect(wrong.text).to.include('<span>Cache read').and.to.not.include('<span>cache_read');
    expect(wrong.text.match(/aria-invalid="true"/g)).to.have.length(2);
    expect(wrong.text).to.include('value="&lt;b&gt;"');
    const none = await test().get('/calculator?input=0&output=1&cache_read=1', { accept: 'text/markdown' });
    expect(none.text).to.include('would not be ranked, because the usage has no input tokens');
  });

  it('are compressed, and the same underneath', async () => {
    const { text } = await test().get('/', { accept: 'text/html', 'accept-encoding': 'identity' });
    const response = await fetch(`${test().origin}/`, { headers: { accept: 'text/html', 'accept-encoding': 'br' } });
    expect(response.headers.get('content-encoding')).to.equal('br');
    expect(await response.text()).to.equal(text);
  });

  it('bring a stylesheet that may be kept for ever, under a name that its content gives', async () => {
    const { text } = await test().get('/', { accept: 'text/html' });
    for (const [path = ''] of text.matchAll(/\/assets\/[^"]+/g)) {
      const asset = await test().get(path);
      expect(asset.headers.get('cache-control')).to.match(/immutable/);
      const hash = createHash('sha256').update(asset.text).digest('hex').slice(0, 12);
      expect(path).to.include(hash);
    }
    expect((await test().get('/assets/site.000000000000.css')).status).to.equal(404);
  });

  it('are repeated by the fast path in the form that was requested', async () => {
    await test().get('/developers', { accept: 'text/html' });
    const served = test().api.fastPath.served();
    const html = await test().get('/developers', { accept: 'text/html' });
    expect(test().api.fastPath.served()).to.equal(served + 1);
    const markdown = await test().get('/developers', { accept: 'text/markdown' });
    expect([html, markdown].map(({ headers }) => headers.get('content-type'))).to.deep.equal([HTML, MARKDOWN]);
    const neither = await test().get('/developers', { accept: 'image/png' });
    expect(neither.status).to.equal(406);
  });
});

/** Operators in a page's one board. */
function rows(text: string): number {
  return (text.match(/<tr id=/g) ?? []).length;
}

function leads(href: string, reached: ReadonlyMap<string, Crawled>): boolean {
  const [path = '', fragment = ''] = href.split('#', 2);
  return reached.get(path)?.ids.has(fragment) === true;
}

describe('site: an empty board', () => {
  it('is told as one, with how to be first', async () => {
    await using test = await openTestApi();
    const { text } = await test.get('/', { accept: 'text/html' });
    expect(text).to.include('No operators yet').and.to.include('--dry-run');
    expect(text).to.not.include('<table');
    const markdown = await test.get('/', { accept: 'text/markdown' });
    expect(markdown.text).to.include('No operators yet');
  });
});

describe('site: without a working store', () => {
  it('tells a failure as a page, and keeps the board', async () => {
    await using test = await openTestApi({
      context: ({ board }) => ({ board: { ...board, profile: () => Promise.reject(new Error('gone')) } }),
    });
    const { status, headers, text } = await test.get('/operators/nova-7', { accept: 'text/html' });
    expect([status, headers.get('content-type')]).to.deep.equal([500, HTML]);
    expect(text).to.include('storage_unavailable').and.to.not.include('gone');
    expect((await test.get('/', { accept: 'text/html' })).status).to.equal(200);
  });
});

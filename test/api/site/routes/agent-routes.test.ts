import { expect } from 'chai';
import { STYLESHEET } from '../../../../api/site/assets/site-assets.ts';
import { navigationOf } from '../../../../api/site/pages.ts';
import { pageText } from '../../../../api/site/render/page-text.ts';
import { PROBLEMS } from '../../../../engine/contract/index.ts';
import { openTestApi } from '../../../support/test-api.ts';
import { useFixture } from '../../../support/use-fixture.ts';

describe('site: what programs read', () => {
  const test = useFixture(openTestApi);

  before(async () => {
    const operator = await test().operator('nova-7');
    await test().post('/api/v1/snapshots', operator.token, test().snapshot(operator, { output: 5_000 }));
    await test().operator('waiting-one');
    await test().publish();
  });

  it('robots.txt has the content signals, and its answer does, too', async () => {
    const { status, text, headers } = await test().get('/robots.txt');
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    const signal = 'search=yes, ai-input=yes, ai-train=no, use=reference';
    expect(text).to.include(`Content-Signal: ${signal}\n`).and.to.include('Sitemap: http://upsilon.test/sitemap.xml');
    expect(headers.get('content-signal')).to.equal(signal);
  });

  it('the sitemap names every page that exists, in parts', async () => {
    const index = await test().get('/sitemap.xml');
    expect(index.headers.get('content-type')).to.equal('application/xml; charset=utf-8');
    expect(placesOf(index.text)).to.deep.equal(['/sitemap-pages.xml', '/sitemap-operators-0.xml']);
    const pages = placesOf((await test().get('/sitemap-pages.xml')).text);
    expect(pages).to.include.members(['/', '/methodology', '/developers/reference']);
    expect(pages.length).to.be.above(Object.keys(PROBLEMS).length);
    const operators = placesOf((await test().get('/sitemap-operators-0.xml')).text);
    // Ranked ones alone: who never used a token is not listed.
    expect(operators).to.deep.equal(['/operators/nova-7']);
    for (const place of [...pages, ...operators]) {
      const { status } = await test().get(place);
      expect(status, place).to.equal(200);
    }
  });

  it('the sitemap has no other parts', async () => {
    for (const part of ['1', '999999', '00', '-1', '1e3', '0x1', '1234567', '']) {
      const { status, json } = await test().get(`/sitemap-operators-${part}.xml`);
      expect([status, json?.['code']], part).to.deep.equal([404, 'path_unknown']);
    }
  });

  it('llms.txt leads to every page, and llms-full.txt has their words', async () => {
    const { text } = await test().get('/llms.txt');
    expect(text).to.match(/^# Upsilon\n\n> /);
    const links = Array.from(text.matchAll(/\]\((http:\/\/upsilon\.test[^)]*)\)/g), ([, href = '']) => href);
    expect(links.length).to.be.above(12);
    for (const href of links) {
      const { status } = await test().get(href.replace('http://upsilon.test', ''));
      expect(status, href).to.equal(200);
    }
    const full = await test().get('/llms-full.txt');
    for (const title of [
      '# Methodology',
      '# Getting started',
      '# Sign a snapshot',
      '# Error codes',
      '# API reference',
    ]) {
      expect(full.text).to.include(`\n${title}\n`);
    }
  });

  it('agent-instructions.txt says how to use the site', async () => {
    const { text } = await test().get('/agent-instructions.txt');
    expect(text).to.include('http://upsilon.test/.well-known/mcp').and.to.include('Retry-After');
  });

  it('a badge shows rank and tier, or that there is none', async () => {
    const badge = await test().get('/badge/Nova-7.svg');
    expect(badge.headers.get('content-type')).to.equal('image/svg+xml; charset=utf-8');
    expect(badge.text).to.match(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
    expect(badge.text).to.include('nova-7').and.to.include('#1 ARCH');
    expect(badge.text).to.not.match(/style=|<script|href=/);
    expect((await test().get('/badge/waiting-one.svg')).text)
      .to.include('not ranked')
      .and.not.include('yet');
    const none = await test().get('/badge/nobody.svg');
    expect([none.status, none.json?.['code']]).to.deep.equal([404, 'operator_unknown']);
  });

  it('previews have a picture', async () => {
    const response = await fetch(`${test().origin}/preview.png`);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-type')).to.equal('image/png');
    expect(bytes.subarray(0, 8).toString('hex')).to.equal('89504e470d0a1a0a');
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).to.deep.equal([1200, 630]);
  });

  it('every host has icons for browsers that ask for no SVG', async () => {
    for (const [path, type, start] of [
      ['/favicon.ico', 'image/x-icon', '00000100'],
      ['/apple-touch-icon.png', 'image/png', '89504e47'],
    ] as const) {
      const response = await fetch(`${test().origin}${path}`);
      expect([response.status, response.headers.get('content-type')], path).to.deep.equal([200, type]);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(bytes.subarray(0, 4).toString('hex'), path).to.equal(start);
    }
  });
});

/** Where a sitemap leads, without the origin. */
function placesOf(xml: string): string[] {
  return Array.from(xml.matchAll(/<loc>([^<]+)<\/loc>/g), ([, place = '']) => place.replace('http://upsilon.test', ''));
}

describe('site: the full text', () => {
  it('is made once for each methodology', async () => {
    let [asked, methodology] = [0, 1];
    await using test = await openTestApi({
      context: ({ board }) => ({
        board: {
          ...board,
          view() {
            asked += 1;
            return { ...board.view(), methodology };
          },
        },
      }),
    });
    const read = async () => {
      asked = 0;
      const { text } = await test.get('/llms-full.txt');
      return { text, asked };
    };
    const [first, second] = [await read(), await read()];
    expect(second.text).to.equal(first.text).and.include('Methodology 1, used');
    // Each guide asks for the board when it is made.
    expect(second.asked).to.be.below(first.asked - 5);
    methodology = 2;
    expect((await read()).text).to.include('Methodology 2, used');
  });
});

describe('site: content signals', () => {
  it('are on every answer of the website, whatever it is', async () => {
    await using test = await openTestApi();
    for (const path of [
      '/robots.txt',
      '/llms.txt',
      '/sitemap.xml',
      '/sitemap-pages.xml',
      '/openapi.json',
      '/.well-known/mcp',
      '/favicon.svg',
      '/preview.png',
      STYLESHEET.path,
      '/badge/nobody-here.svg',
      '/operators?codename=x',
      '/no/such/page',
    ]) {
      const { headers } = await test.get(path);
      expect(headers.get('content-signal'), path).to.equal('search=yes, ai-input=yes, ai-train=no, use=reference');
    }
  });
});

describe('site: surfaces on hosts of their own', () => {
  it('keep their pages apart, and link across', async () => {
    await using test = await openTestApi({
      settings: {
        baseUrl: 'http://data.test/api/v1',
        siteUrl: 'http://www.test',
        loginUrl: 'http://login.test',
        authUrl: 'http://auth.test',
      },
    });
    const page = {
      surface: 'login',
      canonical: 'login:/methodology',
      title: 'Methodology',
      description: 'How it is measured.',
      parts: [],
    } as const;
    const text = pageText(page, 'html', test.api.ctx.config, navigationOf(test.api.ctx.config));
    expect(text).to.include('href="http://www.test/developers"').and.to.include('href="/methodology"');
    expect(text).to.include('<link rel="canonical" href="http://login.test/methodology">');
    expect(text).to.match(/href="\/assets\/site\.[0-9a-f]{12}\.css"/);
  });
});

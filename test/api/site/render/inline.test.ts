import { expect } from 'chai';
import * as fc from 'fast-check';
import { createResolver } from '../../../../api/site/render/addresses.ts';
import { escapeMarkdown, type Inline, link, m, name, text, time } from '../../../../api/site/render/inline.ts';

const to = createResolver(
  {
    baseUrl: 'http://data.test/api/v1',
    siteUrl: 'http://www.test',
    loginUrl: 'http://login.test',
    authUrl: 'http://auth.test',
  },
  'site',
);

const shown = (inline: Inline): string => String(inline.html(to));
const written = (inline: Inline): string => inline.markdown(to);

describe('site: inline markup', () => {
  it('knows code, strong and links, in both forms', () => {
    const runs = m`Read \`x\`, **now**, at [the board](site:/) or [data](base:/leaderboard).`;
    expect(shown(runs)).to.equal(
      'Read <code>x</code>, <strong>now</strong>, at <a href="/">the board</a> or <a href="http://data.test/api/v1/leaderboard">data</a>.',
    );
    expect(written(runs)).to.equal(
      'Read `x`, **now**, at [the board](http://www.test/) or [data](http://data.test/api/v1/leaderboard).',
    );
  });

  it('never reads markup in what is put in', () => {
    const odd = '**bold** [x](javascript:alert(1)) `code` <b>';
    expect(shown(m`A ${odd} here`)).to.equal(
      'A **bold** [x](javascript:alert(1)) `code` &lt;b&gt; here'.replaceAll('"', '&quot;'),
    );
    expect(written(m`A ${odd} here`)).to.equal(escapeMarkdown(`A ${odd} here`));
    expect(written(m`A **${odd}** here`)).to.equal(`A **${escapeMarkdown(odd)}** here`);
    expect(() => m`A **${text('b')}** here`).to.throw('markup inside markup');
  });

  it('refuses links of other kinds', () => {
    expect(() => m`[x](javascript:alert)`).to.throw('is not a ref');
    expect(() => m`[x](//elsewhere.test)`).to.throw('is not a ref');
    expect(() => shown(link('x', 'https://example.com/'))).to.not.throw();
  });

  it('tells times by words and by machine', () => {
    expect(shown(time(Date.UTC(2026, 4, 4, 9, 5)))).to.equal(
      '<time datetime="2026-05-04T09:05:00.000Z">4 May 2026, 09:05 UTC</time>',
    );
  });

  it('lets no text become markup, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (value) => {
        for (const runs of [text(value), name(value), m`${value}`]) {
          const markup = shown(runs).replaceAll(/<\/?bdi>/g, '');
          expect(markup).to.not.match(/[<>"]/);
          const line = written(runs);
          expect(line).to.not.match(/[\n\r\u2028\u202e]/);
          expect(line.replaceAll(/\\./gu, '')).to.not.match(/[`*_[\]<>#|]/);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('lets no text become a link or an image in Markdown', () => {
    expect(escapeMarkdown('![a](https://b.test)')).to.equal(String.raw`\!\[a\](https://b.test)`);
  });

  it('keeps plain words as they are in Markdown', () => {
    expect(escapeMarkdown('Nova 7, an operator (of the field)')).to.equal('Nova 7, an operator (of the field)');
  });
});

import { expect } from 'chai';
import { openAccountOwner } from '../../support/account-owner.ts';
import { openIdentityService } from '../../support/identity-service.ts';
import { openJudgedField } from '../../support/judged-field.ts';
import { openSiteFixture } from '../../support/site-field.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { SITE_PATHS } from './site-paths.ts';

/** Phrases that readers stopped at: they leave out the reader, translate another language word for word, or have another form of numbers. */
const PHRASES = [
  /on the account page/,
  /counts not plausible\?/,
  /own variation from day to day/,
  /plausibly filled/,
  /days with growth/,
  /is public from .* on\b/,
  /far above that of almost all/,
  /rules of arithmetic and physics/i,
  /the full hour \d+ hours ago/,
  /\d\.\d\d ?%/,
  /\(95 % of cases\)/,
  /\bLast (?:24 hours|7 days)\b/,
  /\d{4}-\d\d-\d\d(?: \d\d:\d\d)? UTC/,
];

/** Words from inside the service, which pages for people do without; those for developers explain them. */
const INNER = [/\bboard version\b/i, /\bepochs?\b/, /\bstreams?\b/, /\b(?:the|your|a|this|its) rows?\b/i];

const textOf = (page: string): string =>
  page
    .replaceAll(/<(pre|code|script|style|head)[\s\S]*?<\/\1>/g, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');

/** Where a page has one of them, with what stands around it; developers know the words from inside. */
function foundIn(path: string, page: string): string[] {
  const text = textOf(page);
  return (path.startsWith('/developers') ? [] : [...PHRASES, ...INNER]).flatMap((phrase) => {
    const found = phrase.exec(text);
    return found === null ? [] : [`${path}: ${text.slice(Math.max(0, found.index - 50), found.index + 50)}`];
  });
}

describe('the words of the site', () => {
  const site = useFixture(() => openSiteFixture(2, 3));
  const judged = useFixture(openJudgedField);
  const service = useFixture(() => openIdentityService({ worker: true }));

  it('have no phrase that readers stopped at, on any page', async () => {
    const ofJudged = ['held', 'absurd', 'small'].map((kind) => `/operators/${kind}-row`);
    const evidence = '/operators/absurd-row/integrity/output-beyond-response';
    const pages = [
      ...SITE_PATHS.map((path) => [site(), path] as const),
      ...['/', '/methodology', evidence, ...ofJudged].map((path) => [judged(), path] as const),
    ];
    for (const [api, path] of pages) {
      expect(foundIn(path, (await api.get(path, { accept: 'text/html' })).text)).to.deep.equal([]);
    }
  });

  it('have none on pages of an account, and in its letter', async () => {
    const { page, submit, operator } = await openAccountOwner(service(), 'plain-reader');
    const fresh = foundIn('/account', (await page()).text);
    await submit({ input: 100, output: 2_000, cache_read: 30_000, cache_write: 0 });
    const { cases } = service().accounts;
    await cases.open([{ operator, rule: 'extraordinary-yield', severity: 'hold', boardVersion: 1 }]);
    const found = ['/account', '/account/plan', '/account/leagues'].map(async (path) =>
      foundIn(path, (await page(path)).text),
    );
    expect([...fresh, ...(await Promise.all(found)).flat()]).to.deep.equal([]);
  });
});

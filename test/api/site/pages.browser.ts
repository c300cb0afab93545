import { expect } from 'chai';
import { chromium } from 'playwright-core';
import { browserProgram } from '../../browser/browser-program.ts';
import { inspectPage, LOOKS } from '../../browser/inspect-page.ts';
import { openJudgedField } from '../../support/judged-field.ts';
import { leaveOut } from '../../support/leave-out.ts';
import { runsOf } from '../../support/long-run.ts';
import { runSeed } from '../../support/seeded-random.ts';
import { openSiteFixture, RISING, STEADY } from '../../support/site-field.ts';
import { openTestApi } from '../../support/test-api.ts';
import { useFixture } from '../../support/use-fixture.ts';
import { SITE_PATHS } from './site-paths.ts';

const PATHS = [...SITE_PATHS, '/calculator?input=2580&output=many&cache_read=430500', '/nothing-here'];

/** Pages of rows that rules flag or exclude, and of the rules. */
const JUDGED_PATHS = [
  '/',
  '/methodology',
  '/operators/held-row',
  '/operators/absurd-row',
  '/operators/small-row',
  '/operators/absurd-row/integrity/output-beyond-response',
];

/** Each page in one look, as the seed says; in long runs in all. */
const LOOKS_OF_A_PAGE = runsOf(1, LOOKS.length);
const seed = runSeed();
const chosenOf = (paths: readonly string[], look: number): readonly string[] =>
  paths.filter((_, page) => (page + look + seed) % LOOKS.length < LOOKS_OF_A_PAGE);

/** The texts of a page that a line break divides: pieces of codes in tables and facts, and the words of the navigation. */
const BROKEN = `(() => {
  const texts = (selector) => [...document.querySelectorAll(selector)].flatMap((element) => [...element.childNodes]);
  const linesOf = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getClientRects().length;
  };
  const codes = texts('th code, td code, dd code').filter((node) => node.nodeName === '#text' && linesOf(node) > 1);
  const lists = [...document.querySelectorAll('.bar ul')].filter(
    ({ children }) => new Set([...children].map(({ offsetTop }) => offsetTop)).size > 1,
  );
  return [...codes, ...lists].map((node) => node.textContent);
})()`;

const executablePath = browserProgram();
const title = `site: in a browser (seed ${seed})`;

if (executablePath === null) {
  describe(title, () => {
    leaveOut('chromium', 'there is no Chromium on this machine');
  });
} else {
  describe(title, () => {
    const test = useFixture(() => openSiteFixture(3, 5));
    const empty = useFixture(openTestApi);
    const judged = useFixture(openJudgedField);
    const browser = useFixture(() => chromium.launch({ executablePath, args: ['--no-sandbox'] }));

    for (const [place, { name, ...look }] of LOOKS.entries()) {
      it(`pages are accessible, keep to their width and ask nobody else, on ${name}`, async () => {
        const context = await browser().newContext(look);
        for (const path of chosenOf(PATHS, place)) await inspectPage(context, test().origin, path);
        for (const path of chosenOf(['/'], place)) await inspectPage(context, empty().origin, path);
        for (const path of chosenOf(JUDGED_PATHS, place)) await inspectPage(context, judged().origin, path);
        await context.close();
      });
    }

    for (const width of [390, 1280]) {
      it(`navigation stays on one line, and codes break at no letter, ${width} pixels wide`, async () => {
        const context = await browser().newContext({ viewport: { width, height: 900 } });
        const page = await context.newPage();
        for (const path of ['/', '/developers/errors', '/developers/errors/content_encoding_unsupported']) {
          await page.goto(`${test().origin}${path}`);
          const broken = await page.evaluate(BROKEN);
          expect(broken, path).to.deep.equal([]);
        }
        await context.close();
      });
    }

    for (const width of [320, 390]) {
      it(`tables with prose show it whole, each cell with its label, ${width} pixels wide`, async () => {
        const context = await browser().newContext({ viewport: { width, height: 900 } });
        const page = await context.newPage();
        for (const guide of ['errors', 'rate-limits', 'signing']) {
          await page.goto(`${test().origin}/developers/${guide}`);
          const cut = await page.evaluate(
            "[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth).length",
          );
          expect(cut, guide).to.equal(0);
        }
        await page.goto(`${test().origin}/developers/errors`);
        const label = await page.evaluate(
          "getComputedStyle(document.querySelector('.stacked td:last-child'), '::before').content",
        );
        expect(label).to.include('How to fix it');
        await context.close();
      });
    }

    it('everything is there without JavaScript, and reached by keyboard', async () => {
      const context = await browser().newContext({ javaScriptEnabled: false });
      const page = await context.newPage();
      await page.goto(`${test().origin}/`);
      await page.keyboard.press('Tab');
      expect(await page.locator(':focus').innerText()).to.equal('Skip to content');
      await page.locator('input[name=codename]').fill('Nova-7');
      await page.keyboard.press('Enter');
      await page.waitForURL(`${test().origin}/#row-${RISING}`);
      await page.locator(`#row-${RISING} a`).first().focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(`${test().origin}/operators/${RISING}`);
      await page.locator('input[name=b]').fill(STEADY);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${test().origin}/compare?a=${RISING}&b=${STEADY}`);
      expect(await page.locator('h1').innerText()).to.equal(`${RISING} and ${STEADY}`);
      await page.locator('summary').click();
      expect(await page.locator('details table').isVisible()).to.equal(true);
      await context.close();
    });

    it('what is shared is copied by a button, else selected', async () => {
      const paths = ['badge', 'card'].map((kind) => `/${kind}/${STEADY}.svg)](`);
      for (const permissions of [['clipboard-read', 'clipboard-write'], []]) {
        const context = await browser().newContext();
        await context.grantPermissions(permissions);
        const page = await context.newPage();
        await page.goto(`${test().origin}/operators/${STEADY}`);
        if (permissions.length === 0) await page.evaluate('delete Navigator.prototype.clipboard');
        for (const [at, path] of paths.entries()) {
          const button = page.locator('#share-and-embed ~ .block button').nth(at);
          await button.click();
          const isCopied = permissions.length > 0;
          await button.filter({ hasText: isCopied ? 'Copied' : 'Selected: copy it by the keys' }).waitFor();
          const read = isCopied ? 'navigator.clipboard.readText()' : 'getSelection().toString()';
          expect(await page.evaluate(read)).to.include(path);
        }
        await context.close();
      }
    });

    it('codenames are offered while one is typed, and a chosen one is looked up', async () => {
      const context = await browser().newContext();
      const page = await context.newPage();
      await page.goto(`${test().origin}/`);
      const field = page.locator('input[name=codename]');
      await field.pressSequentially('nov');
      await page.waitForFunction("document.querySelector('#codenames option')?.value === 'nova-7'");
      expect(page.url(), 'nothing is looked up while it is typed').to.equal(`${test().origin}/`);
      await page.evaluate(`{
        const input = document.querySelector('input[name=codename]');
        input.value = 'nova-7';
        input.dispatchEvent(new InputEvent('input', { inputType: 'insertReplacementText' }));
      }`);
      await page.waitForURL(`${test().origin}/#row-${RISING}`);
      await context.close();
    });

    for (const [timezoneId, shown] of [
      ['Asia/Tokyo', /, 21:00 UTC\+9$/],
      ['Asia/Kathmandu', /, 17:45 UTC\+5:45$/],
      ['America/St_Johns', /, 0[89]:30 UTC-[23]:30$/],
    ] as const) {
      it(`shows times in the time of a reader in ${timezoneId}`, async () => {
        const context = await browser().newContext({ timezoneId });
        const page = await context.newPage();
        await page.goto(`${test().origin}/`);
        expect(await page.locator('time').first().innerText()).to.match(shown);
        await context.close();
      });
    }
  });
}

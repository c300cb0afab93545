import { expect } from 'chai';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { browserProgram } from '../../browser/browser-program.ts';
import { eventually } from '../../support/eventually.ts';
import { leaveOut } from '../../support/leave-out.ts';
import { openSiteFixture, RISING, STEADY } from '../../support/site-field.ts';
import { useFixture } from '../../support/use-fixture.ts';

/** Longer than a page waits before it is read again. */
const NEXT_MS = 13_000;
const FOCUSED = 'document.activeElement?.closest("tr")?.id ?? null';
const ROWS = 'document.querySelector("main tbody").innerHTML';
const ORDER = '[...document.querySelectorAll("main tbody tr[id]")].map(({ id }) => id)';

/** The rows as a page has them that is opened now. */
async function expectAsOpened(page: Page): Promise<void> {
  const other = await page.context().newPage();
  await other.goto(page.url());
  expect(await page.evaluate(ROWS)).to.equal(await other.evaluate(ROWS));
  await other.close();
}

const codenames = async (page: Page): Promise<string[]> => {
  const ids = await page.evaluate(ORDER);
  return Array.isArray(ids) ? ids.map((id) => String(id).replace('row-', '')) : [];
};

const isOfEvents = (request: { url: () => string }): boolean => request.url().includes('/events');

const executablePath = browserProgram();
const title = 'site: the open board in a browser';

if (executablePath === null) {
  describe(title, () => {
    leaveOut('chromium', 'there is no Chromium on this machine');
  });
} else {
  describe(title, () => {
    const test = useFixture(() => openSiteFixture(3, 12, { settings: { eventBounds: { frameMs: 20 } } }));
    const browser = useFixture(() => chromium.launch({ executablePath, args: ['--no-sandbox'] }));

    /** Opens a page whose clock stands until it is set forward, and waits for its first frame. */
    async function openPage(path: string, options: BrowserContextOptions = {}): Promise<Page> {
      const context = await browser().newContext({ viewport: { width: 1280, height: 500 }, ...options });
      const page = await context.newPage();
      await page.clock.install();
      const subscribed = page.waitForResponse((response) => response.url().includes('/events'));
      await page.goto(`${test().origin}${path}`);
      await subscribed;
      return page;
    }

    /** Has an operator hidden or shown again, and the open page read again until it shows that. */
    async function setListed(page: Page, codename: string, listed: boolean): Promise<void> {
      const found = await test().ranking.operators.find(codename);
      if (found === null) throw new Error(`no operator is ${codename}`);
      await test().ranking.operators.amend(found.operator, { listed });
      await test().publish();
      await eventually(`${codename} ${listed ? 'shown' : 'gone'}`, async () => {
        await page.clock.runFor(NEXT_MS);
        return (await page.locator(`tr[id="row-${codename}"]`).count()) === (listed ? 1 : 0);
      });
    }

    for (const [what, path] of [
      ['the board', '/'],
      ['the board of a window', '/?window=30d&limit=50'],
      ['the board of a tool', '/platform/claude-code'],
    ] as const) {
      it(`${what} follows, and keeps the focus, the place and what was typed`, async () => {
        const page = await openPage(path);
        const [first = '', , , fourth = ''] = await codenames(page);
        await page.locator('input[name=codename]').fill('typed');
        await page.locator(`#row-${fourth} a`).first().focus();
        const scrolled = await page.evaluate('scrollY');
        expect(scrolled).to.be.above(0);
        await setListed(page, first, false);
        expect(await page.evaluate(FOCUSED)).to.equal(`row-${fourth}`);
        expect(await page.evaluate('scrollY')).to.equal(scrolled);
        expect(await page.locator('input[name=codename]').inputValue()).to.equal('typed');
        await setListed(page, first, true);
        expect(await page.evaluate(FOCUSED)).to.equal(`row-${fourth}`);
        expect(await page.evaluate('scrollY')).to.equal(scrolled);
        await expectAsOpened(page);
        // Whose row had the focus leaves: the row at its place has it.
        await setListed(page, fourth, false);
        expect(await page.evaluate(FOCUSED)).to.equal(`row-${(await codenames(page))[3]}`);
        await setListed(page, fourth, true);
        await page.context().close();
      });
    }

    it('a screen follows, and is not loaded again', async () => {
      const page = await openPage(`/list?operators=${RISING},${STEADY}&view=screen`);
      await page.evaluate('window.isTheSame = true');
      await setListed(page, RISING, false);
      expect(await page.locator('main').innerText()).to.match(
        new RegExp(`${RISING}.*is not ranked|codename ${RISING}`),
      );
      await setListed(page, RISING, true);
      await expectAsOpened(page);
      expect(await page.evaluate('window.isTheSame')).to.equal(true);
      await page.context().close();
    });

    it('a screen whose league is not shown any more says so, and asks no more', async () => {
      const [owner, other] = [RISING, STEADY].map((codename) => test().ranking.operators.find(codename));
      const { operator } = (await owner)!;
      const made = await test().accounts.leagues.make(operator, { name: 'Shown team', visibility: 'public' });
      if ('refused' in made) throw new Error(made.refused);
      const page = await openPage(`/league/${made.slug}?view=screen`);
      expect(await codenames(page)).to.deep.equal([RISING]);
      await test().accounts.leagues.change(operator, made.slug, { visibility: 'private' });
      await test().ranking.operators.amend((await other)!.operator, { displayName: 'R' });
      await test().publish();
      await eventually('the league gone', async () => {
        await page.clock.runFor(NEXT_MS);
        return (await page.locator('main').innerText()).includes('There is no league at this address');
      });
      expect(await page.content()).to.not.include(RISING);
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await page.clock.runFor(NEXT_MS * 10);
      expect(asked).to.deep.equal([]);
      await page.context().close();
    });

    for (const [reducedMotion, moves] of [
      ['no-preference', true],
      ['reduce', false],
    ] as const) {
      it(`rows ${moves ? 'move' : 'do not move'} where the reader asked for ${reducedMotion}`, async () => {
        const page = await openPage('/', { reducedMotion });
        await page.evaluate(`{
          window.moved = 0;
          const { animate } = Element.prototype;
          Element.prototype.animate = function (...given) {
            window.moved += 1;
            return animate.apply(this, given);
          };
        }`);
        const [first = ''] = await codenames(page);
        await setListed(page, first, false);
        expect(Number(await page.evaluate('window.moved')) > 0).to.equal(moves);
        await setListed(page, first, true);
        await page.context().close();
      });
    }

    it('follows only while it is visible', async () => {
      const page = await openPage('/');
      const show = (hidden: boolean) =>
        page.evaluate(`{
          Object.defineProperty(document, 'hidden', { configurable: true, value: ${hidden} });
          document.dispatchEvent(new Event('visibilitychange'));
        }`);
      const ended = page.waitForEvent('requestfailed', isOfEvents);
      await show(true);
      await ended;
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await test().ranking.operators.amend((await test().ranking.operators.find(STEADY))!.operator, {
        displayName: 'Q',
      });
      await test().publish();
      await page.clock.runFor(NEXT_MS * 10);
      expect(asked).to.deep.equal([]);
      await show(false);
      await eventually('the name', async () => {
        await page.clock.runFor(NEXT_MS);
        return (await page.locator(`#row-${STEADY}`).innerText()).includes('Q ·');
      });
      await page.context().close();
    });

    it('is read again, and asks for events again, where it gets none', async () => {
      const context = await browser().newContext();
      const page = await context.newPage();
      await page.clock.install();
      let refuses = true;
      await page.route('**/events*', (route) => (refuses ? route.fulfill({ status: 429 }) : route.continue()));
      await page.goto(`${test().origin}/`);
      await eventually('a second request for events', async () => {
        const again = page.waitForRequest('**/events*', { timeout: 1_000 }).catch(() => null);
        await page.clock.runFor(70_000);
        return again;
      });
      refuses = false;
      const [first = ''] = await codenames(page);
      await setListed(page, first, false);
      await setListed(page, first, true);
      await context.close();
    });
  });
}

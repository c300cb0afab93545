import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { z } from 'zod';
import { browserProgram } from '../../browser/browser-program.ts';
import type { TestApi } from '../../support/api-ports.ts';
import { openTestApi } from '../../support/api-ports.ts';
import { HOSTILE, openSiteField, RISING, STEADY } from '../../support/site-field.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const PAGES = [
  '/',
  '/?window=7d&limit=10',
  `/operators/${RISING}`,
  `/operators/${HOSTILE}`,
  '/operators/no-tokens-yet',
  '/compare',
  `/operators/${RISING}?window=7d`,
  `/compare?a=${RISING}&b=${STEADY}`,
  '/methodology?input=86&output=many&cache_read=14350',
  '/developers',
  '/developers/reference',
  '/developers/getting-started',
  '/developers/signing',
  '/developers/errors',
  '/developers/rate-limits',
  '/developers/premium',
  '/developers/versioning',
  '/developers/errors/rate_limited',
  '/nothing-here',
] as const;

const LOOKS = [
  { name: 'a phone, light', viewport: { width: 360, height: 740 }, colorScheme: 'light' },
  { name: 'a phone, dark', viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
  { name: 'a desktop, light', viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  { name: 'a desktop, dark', viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
] as const;

const AxeResults = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
});

const executablePath = browserProgram();
const title = 'site: in a browser';

if (executablePath === null) {
  describe(title, () => {
    it('is left out: there is no Chromium on this machine', () => undefined);
  });
} else {
  describe(title, function () {
    this.timeout(120_000);
    let test: TestApi;
    let empty: TestApi;
    let browser: Browser;

    before(async () => {
      test = await openSiteField(3, 5);
      empty = await openTestApi();
      browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    });

    after(async () => {
      await browser.close();
      await test[Symbol.asyncDispose]();
      await empty[Symbol.asyncDispose]();
    });

    for (const { name, ...look } of LOOKS) {
      it(`pages are accessible, keep to their width and ask nobody else, on ${name}`, async () => {
        const context = await browser.newContext(look);
        for (const path of PAGES) await inspect(context, test.origin, path);
        await inspect(context, empty.origin, '/');
        await context.close();
      });
    }

    it('everything is there without JavaScript, and reached by keyboard', async () => {
      const context = await browser.newContext({ javaScriptEnabled: false });
      const page = await context.newPage();
      await page.goto(`${test.origin}/`);
      await page.keyboard.press('Tab');
      expect(await page.locator(':focus').innerText()).to.equal('Skip to the content');
      await page.locator('input[name=codename]').fill('Nova-7');
      await page.keyboard.press('Enter');
      await page.waitForURL(`${test.origin}/operators/${RISING}`);
      await page.locator('input[name=b]').fill(STEADY);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${test.origin}/compare?a=${RISING}&b=${STEADY}`);
      expect(await page.locator('h1').innerText()).to.equal(`${RISING} and ${STEADY}`);
      await page.locator('summary').click();
      expect(await page.locator('details table').isVisible()).to.equal(true);
      await context.close();
    });

    it('times are told in the time of the reader', async () => {
      const context = await browser.newContext({ timezoneId: 'Asia/Tokyo' });
      const page = await context.newPage();
      await page.goto(`${test.origin}/`);
      expect(await page.locator('time').first().innerText()).to.match(/21:00 GMT\+9/);
      await context.close();
    });
  });
}

async function inspect(context: BrowserContext, origin: string, path: string): Promise<void> {
  const page = await context.newPage();
  const heard: string[] = [];
  page.on('console', (message) => {
    // A browser tells the status of an address that does not exist; that is what was asked for.
    if (/error|warning/.test(message.type()) && !/404/.test(message.text())) heard.push(message.text());
  });
  page.on('pageerror', (error) => heard.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) heard.push(`asked ${request.url()}`);
  });
  await page.goto(`${origin}${path}`, { waitUntil: 'load' });
  const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  expect(wider, `${path} is wider than its window`).to.be.at.most(0);
  await page.evaluate(AXE);
  const results = AxeResults.parse(await page.evaluate('axe.run(document)'));
  expect(
    results.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    path,
  ).to.deep.equal([]);
  expect(heard, path).to.deep.equal([]);
  await page.close();
}

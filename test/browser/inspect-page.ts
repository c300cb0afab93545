import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { BrowserContext, Page } from 'playwright-core';
import { z } from 'zod';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** How pages are looked at. */
export const LOOKS = [
  { name: 'a phone, light', viewport: { width: 360, height: 740 }, colorScheme: 'light' },
  { name: 'a phone, dark', viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
  { name: 'a desktop, light', viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  { name: 'a desktop, dark', viewport: { width: 1280, height: 900 }, colorScheme: 'dark' },
] as const;

const AxeResults = z.object({
  violations: z.array(z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
});

/** Opens a page and checks that axe finds nothing, that it fits its window, contacts no other host, and logs nothing. */
export async function inspectPage(context: BrowserContext, origin: string, path: string): Promise<void> {
  const page = await context.newPage();
  const heard: string[] = [];
  page.on('console', (message) => {
    // A browser logs the status of a page that does not exist, which is expected here.
    if (/error|warning/.test(message.type()) && !/404/.test(message.text())) heard.push(message.text());
  });
  page.on('pageerror', (error) => heard.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) heard.push(`asked ${request.url()}`);
  });
  await page.goto(`${origin}${path}`, { waitUntil: 'load' });
  await expectSound(page, path);
  expect(heard, path).to.deep.equal([]);
  await page.close();
}

/** Checks that axe finds nothing on a page, and that it fits its window. */
export async function expectSound(page: Page, path: string): Promise<void> {
  const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  expect(wider, `${path} is wider than its window`).to.be.at.most(0);
  await page.evaluate(AXE);
  const results = AxeResults.parse(await page.evaluate('axe.run(document)'));
  expect(
    results.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    path,
  ).to.deep.equal([]);
}

import { expect } from 'chai';
import { chromium } from 'playwright-core';
import { type IdentityService, openIdentityService } from '../support/identity-service.ts';
import { leaveOut } from '../support/leave-out.ts';
import { runsOf } from '../support/long-run.ts';
import { runSeed } from '../support/seeded-random.ts';
import { useFixture } from '../support/use-fixture.ts';
import { browserProgram } from './browser-program.ts';
import { inspectPage, LOOKS } from './inspect-page.ts';

/** Every second look is taken, the seed chooses the first: a phone and a desktop, in one color scheme. In long runs all are. */
const LOOK_EVERY = runsOf(2, 1);
const seed = runSeed();

const PAGES = ['/login', '/oauth/device', '/account', '/account/plan'] as const;

/** Gives an operator the moderator role, a case about its own row and one to decide; returns the pages of moderators. */
async function openCases({ accounts, ranking }: IdentityService, codename: string): Promise<readonly string[]> {
  const moderator = (await ranking.operators.find(codename))?.operator ?? 0;
  await ranking.operators.enrol({ codename: 'looked-into' });
  const operator = (await ranking.operators.find('looked-into'))?.operator ?? 0;
  await accounts.setModerator(moderator, true);
  const found = { rule: 'identical-series', severity: 'hold', boardVersion: 1 } as const;
  await accounts.cases.open([moderator, operator].map((each) => ({ ...found, operator: each })));
  await accounts.cases.setAnswer(`${operator}/${found.rule}`, 'x'.repeat(400));
  return ['/moderation', `/moderation/case?id=${operator}%2F${found.rule}`];
}

const executablePath = browserProgram();
const title = `pages of sign-in: in a browser (seed ${seed})`;

if (executablePath === null) {
  describe(title, () => {
    leaveOut('chromium', 'there is no Chromium on this machine');
  });
} else {
  describe(title, () => {
    const service = useFixture(openIdentityService);

    for (const { name, ...look } of LOOKS.filter((_, place) => (place + seed) % LOOK_EVERY === 0)) {
      it(`are accessible, keep to their width and contact no other host, on ${name}`, async () => {
        const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
        try {
          const context = await browser.newContext(look);
          await inspectPage(context, service().origin, '/login');
          const page = await context.newPage();
          await page.goto(`${service().origin}/login`);
          await page.locator('form[action$="/login/development"] input[name="name"]').fill('looked-at');
          await page.locator('form[action$="/login/development"] button').click();
          await page.waitForLoadState('load');
          const paths = await openCases(service(), await page.locator('h1').innerText());
          await page.locator('#token-name').fill('a job that runs every night in a place with a long name');
          await page.locator('form[action$="/account/tokens"] button').click();
          await page.locator('h1', { hasText: 'Your token' }).waitFor();
          const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
          expect(wider, 'the page of a new token is wider than its window').to.be.at.most(0);
          for (const path of [...PAGES, ...paths]) await inspectPage(context, service().origin, path);
        } finally {
          await browser.close();
        }
      });
    }
  });
}

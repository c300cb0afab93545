import { chromium } from 'playwright-core';
import { type IdentityService, openIdentityService } from '../support/identity-service.ts';
import { leaveOut } from '../support/leave-out.ts';
import { browserProgram } from './browser-program.ts';
import { inspectPage, LOOKS } from './inspect-page.ts';

const PAGES = ['/login', '/oauth/device', '/account', '/account/plan'] as const;

const executablePath = browserProgram();
const title = 'pages of sign-in: in a browser';

if (executablePath === null) {
  describe(title, () => {
    leaveOut('chromium', 'there is no Chromium on this machine');
  });
} else {
  describe(title, function () {
    this.timeout(120_000);
    let service: IdentityService;

    before(async () => {
      service = await openIdentityService();
    });

    after(() => service.close());

    for (const { name, ...look } of LOOKS) {
      it(`are accessible, keep to their width and contact no other host, on ${name}`, async () => {
        const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
        try {
          const context = await browser.newContext(look);
          await inspectPage(context, service.origin, '/login');
          const page = await context.newPage();
          await page.goto(`${service.origin}/login`);
          await page.locator('form[action$="/login/development"] input[name="name"]').fill('looked-at');
          await page.locator('form[action$="/login/development"] button').click();
          await page.waitForLoadState('load');
          for (const path of PAGES) await inspectPage(context, service.origin, path);
        } finally {
          await browser.close();
        }
      });
    }
  });
}

import { expect } from 'chai';
import { chromium } from 'playwright-core';
import { browserProgram } from '../../browser/browser-program.ts';
import { openAccountOwner } from '../../support/account-owner.ts';
import { eventually } from '../../support/eventually.ts';
import { openIdentityService } from '../../support/identity-service.ts';
import { leaveOut } from '../../support/leave-out.ts';
import { useFixture } from '../../support/use-fixture.ts';

const executablePath = browserProgram();

describe('site: the own place in a browser', function () {
  if (executablePath === null) {
    leaveOut('chromium', 'there is no Chromium on this machine');
    return;
  }
  const service = useFixture(() => openIdentityService({ worker: true }));
  const browser = useFixture(() => chromium.launch({ executablePath, args: ['--no-sandbox'] }));

  it('is marked for who is signed in, and the own page says that it is hidden', async () => {
    const { origin } = service();
    const owner = await openAccountOwner(service(), 'own-place');
    await owner.submit({ input: 100, output: 2_000, cache_read: 30_000, cache_write: 0 });
    const board = async () => (await fetch(`${origin}/`, { headers: { accept: 'text/html' } })).text();
    await eventually('the rank', async () => (await board()).includes(`row-${owner.codename}`));
    expect(await board(), 'the same for everybody').to.not.include('aria-current="true" class="current"');
    const context = await browser().newContext();
    const page = await context.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${origin}/`);
    expect(asked, 'a stranger asks for no session').to.not.include('/api/auth/session');
    const value = owner.browser.cookie(origin, 'upsilon-session') ?? '';
    await context.addCookies([{ name: 'upsilon-session', value, url: origin }]);
    await page.goto(`${origin}/account`);
    await page.goto(`${origin}/`);
    await page.locator(`tr.current#row-${owner.codename}`).waitFor();
    await owner.send('/account/hide', { hidden: 'true' });
    await eventually('hidden', async () => !(await board()).includes(`row-${owner.codename}`));
    await page.goto(`${origin}/operators/${owner.codename}`);
    await page.getByRole('link', { name: 'Your account says why' }).waitFor();
    await context.close();
  });
});

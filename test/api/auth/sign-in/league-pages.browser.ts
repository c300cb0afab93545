import { chromium } from 'playwright-core';
import { browserProgram } from '../../../browser/browser-program.ts';
import { inspectPage, LOOKS } from '../../../browser/inspect-page.ts';
import { openAccountOwner } from '../../../support/account-owner.ts';
import { openIdentityService } from '../../../support/identity-service.ts';
import { leaveOut } from '../../../support/leave-out.ts';
import { useFixture } from '../../../support/use-fixture.ts';

const executablePath = browserProgram();

describe('the pages of leagues in a browser', () => {
  if (executablePath === null) {
    leaveOut('chromium', 'there is no Chromium on this machine');
    return;
  }
  const service = useFixture(() => openIdentityService({ worker: true }));
  const browser = useFixture(() => chromium.launch({ executablePath, args: ['--no-sandbox'] }));

  it('pass axe, fit their window and log nothing, for their owner and for who is invited', async () => {
    const { origin } = service();
    const owner = await openAccountOwner(service(), 'owner-in-browser');
    await owner.submit({ input: 100, output: 2_000, cache_read: 30_000, cache_write: 0 });
    const made = await owner.send('/account/leagues', { name: 'A name of several words', visibility: 'private' });
    const league = new URL(made.url).searchParams.get('league') ?? '';
    const open = await owner.send('/account/leagues', { name: 'Open to all', visibility: 'public' });
    const invitation =
      /<span>[^<]*(\/account\/league\/join[^<]*)</.exec(open.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const ofOwner = ['/account/leagues', `/account/league?league=${league}`, `/account/leagues/${league}`];
    for (const { name: _, ...look } of LOOKS) {
      const context = await browser().newContext(look);
      for (const path of [invitation, '/league/open-to-all', '/league/open-to-all?view=screen']) {
        await inspectPage(context, origin, path);
      }
      const value = owner.browser.cookie(origin, 'upsilon-session') ?? '';
      await context.addCookies([{ name: 'upsilon-session', value, url: origin }]);
      for (const path of ofOwner) await inspectPage(context, origin, path);
      await context.close();
    }
  });
});

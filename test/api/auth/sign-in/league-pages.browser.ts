import { expect } from 'chai';
import { chromium, type Locator, type Page } from 'playwright-core';
import { MINUTE_MS } from '../../../../config/units.ts';
import { browserProgram } from '../../../browser/browser-program.ts';
import { expectSound, inspectPage, LOOKS } from '../../../browser/inspect-page.ts';
import { openAccountOwner } from '../../../support/account-owner.ts';
import { openIdentityService } from '../../../support/identity-service.ts';
import { leaveOut } from '../../../support/leave-out.ts';
import { useFixture } from '../../../support/use-fixture.ts';

const executablePath = browserProgram();
const COUNTS = { input: 100, output: 2_000, cache_read: 30_000, cache_write: 0 };

/** More than any of these pages has of what Tab stops at. */
const MAX_TABS = 90;

/** Moves the focus to an element by Tab. */
async function reach(page: Page, target: Locator): Promise<void> {
  const focused = target.and(page.locator(':focus'));
  for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
    if ((await focused.count()) === 1) return;
    await page.keyboard.press('Tab');
  }
  expect.fail(`Tab does not reach ${String(target)} of ${page.url()}`);
}

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
    await owner.submit(COUNTS);
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

  /** Somebody at a keyboard, who signs in where a page asks for it. */
  async function sitDown(name: string, width: number) {
    const { codename, submit } = await openAccountOwner(service(), name);
    await submit(COUNTS);
    const context = await browser().newContext({ viewport: { width, height: 900 } });
    const page = await context.newPage();
    const waitFor = (heading: string) => page.locator('h1', { hasText: heading }).waitFor();
    const type = async (field: string, text: string): Promise<void> => {
      await reach(page, page.locator(field));
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type(text);
    };
    /** Presses Enter on a button, a link or a summary, and checks the page that it leads to. */
    const press = async (label: string, heading: string, within = 'main'): Promise<void> => {
      const named = page.locator(within).locator('button, a, summary').filter({ hasText: label });
      await reach(page, named.filter({ visible: true }).last());
      // A client may send so many forms in a minute.
      service().ahead += MINUTE_MS / 4;
      await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
      await waitFor(heading);
    };
    return {
      codename,
      page,
      type,
      press,
      go: (path: string) => page.goto(new URL(path, service().origin).href),
      unfold: async (summary: string): Promise<void> => {
        await reach(page, page.locator('summary').filter({ hasText: summary }));
        await page.keyboard.press('Enter');
      },
      signIn: async (heading: string): Promise<void> => {
        await type('form[action$="/login/development"] input[name="name"]', name);
        await page.keyboard.press('Enter');
        await waitFor(heading);
      },
      /** What the page says, after it was checked. */
      read: async (): Promise<string> => {
        await expectSound(page, page.url());
        return page.locator('main').innerText();
      },
      leave: () => context.close(),
    };
  }

  for (const width of [390, 1440]) {
    it(`take two people by keyboard through a league at ${width} pixels`, async () => {
      const [name, open] = [`Night shift ${width}`, `Open shift ${width}`];
      const [owner, member] = [await sitDown(`nova-${width}`, width), await sitDown(`vega-${width}`, width)];
      const make = async (called: string, visibility: string) => {
        await owner.go('/account/leagues');
        await owner.type('#name', called);
        await reach(owner.page, owner.page.locator('#visibility'));
        await owner.page.keyboard.type(visibility);
        expect(await owner.read()).to.include('It shows who will see what');
        await owner.press('Make the league', called);
      };
      await owner.go('/account/leagues');
      await owner.signIn('Your leagues');
      await make(name, 'private');
      expect(await owner.read()).to.include('1 member. Its owner is you');
      const invitation = await owner.page.getByRole('region', { name: 'The invitation' }).innerText();

      await member.go(invitation);
      expect(await member.read()).to.match(new RegExp(`${owner.codename}.*seen by its members alone`, 's'));
      await member.press('Sign in to join', 'Sign in');
      await member.signIn(name);
      await member.press(`Join ${name}`, name);
      expect(await member.read())
        .to.include('2 members')
        .and.to.include('Leave the league');

      await member.press('Its board', name);
      for (const { codename } of [owner, member]) await member.page.locator(`#row-${codename}`).waitFor();
      expect(await member.read()).to.match(/2 of 2 members ranked.*Seen by its members alone/s);
      await member.press('Members, leave, invite', name);

      await owner.page.reload();
      await owner.unfold('Hand it over');
      await owner.type('#codename', member.codename);
      await owner.press('Hand it over', name);
      expect(await owner.read()).to.include(`Its owner is ${member.codename}`);
      await owner.press('Leave the league', 'Your leagues');
      expect(await owner.read()).to.include('You are in no league yet.');

      await member.page.reload();
      expect(await member.read()).to.include('1 member. Its owner is you');
      await member.unfold('Delete the league');
      await member.press('Confirm: delete the league', 'Your leagues');
      expect(await member.read()).to.include('You are in no league yet.');
      expect((await member.go(invitation))?.status()).to.equal(404);
      await member.read();

      await make(open, 'public');
      await member.go(`/league/open-shift-${width}`);
      expect(await member.read()).to.include('Seen by everybody');
      await member.press('Members, leave, invite, report', open);
      await member.unfold('Report this league');
      expect(await member.read()).to.include('offensive');
      await member.press('Report', 'Thank you', 'main form');
      expect(await member.read()).to.include('A moderator will look at this league');
      for (const each of [owner, member]) await each.leave();
    });
  }
});

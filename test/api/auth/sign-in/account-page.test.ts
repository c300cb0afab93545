import { expect } from 'chai';
import { DAY_MS, MINUTE_MS } from '../../../../config/units.ts';
import { openAccountOwner } from '../../../support/account-owner.ts';
import { eventually } from '../../../support/eventually.ts';
import { openIdentityService } from '../../../support/identity-service.ts';
import { useFixture } from '../../../support/use-fixture.ts';

describe('the account page', () => {
  const service = useFixture(() => openIdentityService({ worker: true }));

  const somebody = (name: string) => openAccountOwner(service(), name);

  it('changes the codename, and explains refusals', async () => {
    const { browser, codename, page } = await somebody('changer');
    expect((await page()).text).to.include(`<h1>${codename}</h1>`);
    const changed = await browser.submit(await page(), '/account/rename', { new_codename: ' Chosen-Here ' });
    expect(changed.text)
      .to.include('<h1>chosen-here</h1>')
      .and.match(/role="status">Your codename is changed\./);
    for (const [wanted, status] of [
      ['x', 400],
      ['admin', 400],
      ['', 400],
      ['<b>bold</b>', 400],
    ] as const) {
      const refused = await browser.submit(await page(), '/account/rename', { new_codename: wanted });
      expect(refused.status, wanted).to.equal(status);
      expect(refused.text).to.include('<a href="/account">Back to your account</a>').and.to.not.include('<b>');
    }
    const other = await somebody('wants-the-same');
    const taken = await other.browser.submit(await other.page(), '/account/rename', { new_codename: 'chosen-here' });
    expect(taken.status).to.equal(409);
    expect((await page()).text).to.include('<h1>chosen-here</h1>');
  });

  it('has the navigation of the website, and sets destructive buttons apart', async () => {
    const { page } = await somebody('visitor');
    const { text } = await page();
    const links = Array.from(
      (text.split('</header>', 1)[0] ?? '').matchAll(/<li><a href="([^"]*)"( aria-current="true")?>([^<]*)<\/a>/g),
    );
    expect(links.map(([, href, current, label]) => [label, href, current !== undefined])).to.deep.equal([
      ['Board', '/', false],
      ['Compare', '/compare', false],
      ['Methodology', '/methodology', false],
      ['Developers', '/developers', false],
      ['Account', '/account', true],
    ]);
    const buttons = Array.from(text.matchAll(/<button type="submit" class="([^"]*)">([^<]*)</g));
    const classOf = new Map(buttons.map(([, name, label]) => [label, name]));
    const classes = ['Sign out', 'Export my data', 'Delete my account'].map((label) => classOf.get(label));
    expect(classes).to.deep.equal(['', '', 'danger']);
  });

  it('shows rank and Yield, and sets and removes the display name', async () => {
    const { browser, codename, page, submit } = await somebody('named');
    const unranked = await page();
    expect(unranked.text).to.include('You are not ranked yet');
    await submit({ input: 100, output: 2_000, cache_read: 30_000, cache_write: 0 });
    expect((await page()).text, 'one day draws no line').to.not.include('<figure>');
    const saved = await browser.submit(unranked, '/account/display-name', { display_name: ' Ada <b> ' });
    expect(saved.text).to.include('<p class="soft">Ada &lt;b&gt;</p>').and.to.include('value="Ada &lt;b&gt;"');
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(saved.text) ?? [];
    const send = (name: string) =>
      browser.post(`${service().origin}/account/display-name`, new URLSearchParams({ csrf, display_name: name }));
    for (const [refused, reason] of [
      ['a\u202eb', 'U+202E'],
      ['x'.repeat(65), 'at most 64 characters'],
    ] as const) {
      const answer = await send(refused);
      expect([answer.status, answer.text.includes(reason)], refused).to.deep.equal([400, true]);
      expect(answer.text)
        .to.include('<h1>Your display name was not changed</h1>')
        .and.to.include('<a href="/account">Back to your account</a>');
    }
    expect((await send('')).text)
      .to.include('Your operator account')
      .and.to.include('value="" autocomplete="off"');
    const standing = '<dt>Rank</dt><dd>1 of 1</dd>';
    await eventually('the rank', async () => (await page()).text.includes(standing));
    expect((await page()).text, 'one day draws no line').to.not.include('<figure>');
    await submit({ input: 50, output: 400, cache_read: 9_000, cache_write: 0 }, 40);
    expect((await page()).text)
      .to.match(/<figure><svg class="chart"/)
      .and.to.include('from submitted history');
    const open = await (await fetch(`${service().origin}/operators/${codename}`)).text();
    expect(open, 'for its owner alone').to.not.include('from submitted history');
  });

  it('shows a new account the commands, then its goal and what arrived, in sections with a menu', async () => {
    service().ahead += MINUTE_MS;
    const { page, submit } = await somebody('newcomer');
    const fresh = (await page()).text;
    expect(fresh).to.include('Three commands take you to the board').and.include('--dry-run');
    for (const [, id = ''] of fresh.matchAll(/<li><a href="#([a-z]+)"/g)) expect(fresh).to.include(`<h2 id="${id}">`);
    await submit({ input: 100, output: 2_000, cache_read: 30_000, cache_write: 0 });
    await eventually('the goal', async () => (await page()).text.includes('Next goal: ARCH'));
    expect((await page()).text)
      .to.include('1,340 more tokens of output, or 20,000 more cache reads')
      .and.match(
        /<h3>What arrived<\/h3>\n<ul class="rows"><li><span>[^<]*<\/span><span class="soft">last usage \d+ [A-Z]/,
      )
      .and.not.include('Three commands');
  });

  it('lists the apps that were allowed, with what each may do, and ends them', async () => {
    service().ahead += MINUTE_MS;
    const { browser, page } = await somebody('allower');
    const before = await page();
    expect(before.text).to.match(
      /Upsilon command-line tool<br><span class="soft">Allowed on \d+ [A-Z][a-z]+ \d{4}, at the latest until/,
    );
    expect(before.text).to.include('It can know which operator you are; ').and.include('submit counts');
    const ended = await browser.submit(before, '/account/apps/end');
    expect(ended.text).to.include('You have allowed no app').and.include('The app is signed out');
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(ended.text) ?? [];
    const again = new URLSearchParams({ csrf, app: 'Grant:of-somebody-else' });
    expect((await browser.post(`${service().origin}/account/apps/end`, again)).status).to.equal(404);
  });

  it('erases nothing until the codename is typed', async () => {
    const { browser, codename, page } = await somebody('not-leaving');
    const refused = await browser.submit(await page(), '/account/erase', { codename: `${codename}-not` });
    expect(refused.status).to.equal(400);
    expect(refused.text).to.include('Nothing was deleted');
    expect((await page()).text).to.include(`<h1>${codename}</h1>`);
  });

  it('lists devices, and revokes their keys', async () => {
    const { browser, enrol, page } = await somebody('device-owner');
    expect((await page()).text).to.include('No device can sign for you yet');
    const kids = [await enrol('<i>slanted</i>'), await enrol('second device')];
    const listed = await page();
    expect(listed.text).to.include('&lt;i&gt;slanted&lt;/i&gt;').and.include('second device');
    const after = await browser.submit(listed, '/account/devices/revoke', { device: kids[0] ?? '' });
    expect(after.text).to.not.include('slanted');
    expect(after.text).to.include('second device');
    const keys = await service().accounts.deviceKeys(kids);
    expect(kids.map((kid) => keys.get(kid)?.revokedAt === null)).to.deep.equal([false, true]);
  });

  it("does not revoke another operator's", async () => {
    const owner = await somebody('rightful-owner');
    const kid = await owner.enrol('mine');
    const thief = await somebody('thief');
    await thief.enrol('a device of the thief');
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec((await thief.page()).text) ?? [];
    const fields = new URLSearchParams({ csrf, device: kid });
    const answer = await thief.browser.post(`${service().origin}/account/devices/revoke`, fields);
    expect(answer.status).to.equal(404);
    expect((await owner.page()).text).to.include('mine');
  });

  it('opens the history to everybody, says what that shows, and closes it', async () => {
    service().ahead += MINUTE_MS;
    const { browser, codename, operator, page, submit } = await somebody('glass');
    await submit({ input: 100, output: 2_000, cache_read: 30_000, cache_write: 0 });
    const served = async () => (await fetch(`${service().origin}/api/v1/operators/${codename}/snapshots`)).status;
    expect(await served()).to.equal(404);
    const opened = await browser.submit(await page(), '/account/open');
    expect(opened.text)
      .to.include('Your history is <strong>open</strong>')
      .and.include(`upsilon verify ${codename}`)
      .and.include('Copies that others made cannot be recalled.');
    expect(await served()).to.equal(200);
    const closed = await browser.submit(opened, '/account/open');
    expect(closed.text).to.include('Open my history').and.not.include('Your history is <strong>');
    expect(await served()).to.equal(404);
    const events = (await service().accounts.audit.list(operator, 9)).map(({ kind }) => kind);
    expect(events.filter((kind) => kind.startsWith('row_'))).to.deep.equal(['row_closed', 'row_opened']);
  });

  it('hides the row, shows its owner what it would be, and shows it again the day after', async () => {
    // A client may sign in so often in a minute.
    service().ahead += MINUTE_MS;
    const { browser, operator, page, submit } = await somebody('shy');
    await submit({ input: 100, output: 2_000, cache_read: 30_000, cache_write: 0 });
    const ranked = async () => (await page()).text.includes('<dt>Rank</dt>');
    await eventually('the rank', ranked);
    const hidden = await browser.submit(await page(), '/account/hide');
    expect(hidden.text)
      .to.include('You are <strong>hidden</strong>: only you see your counts')
      .and.match(/You would be rank <strong>\d+<\/strong>, with a Yield of <strong>6,000<\/strong>\./)
      .and.include('Former boards have a gap in your place.')
      .and.include('You are hidden from the next board on.')
      .and.not.include('>Your page</a>');
    const early = await browser.submit(hidden, '/account/hide');
    expect(early.status).to.equal(429);
    expect(early.text).to.include('<h1>Nothing was changed</h1>').and.include('once in 24 hours');
    await service().ranking.operators.amend(operator, { listed: false });
    service().ahead += DAY_MS;
    const unlisted = await browser.submit(await page(), '/account/hide');
    expect(unlisted.text).to.include('the people who run this service took you off').and.include('Hide me');
    await service().ranking.operators.amend(operator, { listed: true });
    await eventually('the rank again', ranked);
    const events = (await service().accounts.audit.list(operator, 9)).map(({ kind }) => kind);
    expect(events.filter((kind) => kind.startsWith('row_'))).to.deep.equal(['row_shown', 'row_hidden']);
  });
});

import { expect } from 'chai';
import { FormBrowser } from '../../../support/form-browser.ts';
import { SignInWorld } from '../../../support/sign-in-world.ts';
import { useFixture } from '../../../support/use-fixture.ts';

const WEEK_MS = 7 * 24 * 60 * 60 * 1_000;

describe('weekly letters at the account page', () => {
  const world = useFixture(() => SignInWorld.open());

  beforeEach(() => world().nextHour());

  const account = (browser: FormBrowser) => browser.get(world().at('/account'));
  const lettersOf = async (email: string) => world().service.accounts.letters.of(await world().operatorOf(email));
  /** The secret of the link in the operator's next letter. */
  async function nextSecret(email: string): Promise<string> {
    const { letters } = world().service.accounts;
    const operator = await world().operatorOf(email);
    world().service.ahead += WEEK_MS;
    const due = (await letters.due(100)).find(({ _id }) => _id === operator);
    return (await letters.mark(due!)) ?? '';
  }
  async function reader(email: string): Promise<FormBrowser> {
    const browser = new FormBrowser();
    await world().signInByMail(browser, email);
    await browser.submit(await account(browser), '/account/letters', { address: email });
    return browser;
  }

  it('are off, and are switched on to a verified address and off again', async () => {
    const browser = new FormBrowser();
    await world().signInByMail(browser, 'ada@letters.example');
    const before = await account(browser);
    expect(before.text).to.include('Switch on').and.to.include('<option>ada@letters.example</option>');
    expect(before.text, 'the preview').to.match(/What it would say today[^]*You are not ranked over all time/);
    expect(await lettersOf('ada@letters.example')).to.equal(null);
    const on = await browser.submit(before, '/account/letters', { address: 'ada@letters.example' });
    expect(on.text).to.include('Each week to <strong>ada@letters.example</strong>');
    const exported = await browser.submit(on, '/account/export');
    expect(Object(JSON.parse(exported.text)).weekly_letters).to.include({ address: 'ada@letters.example' });
    expect(exported.text).to.not.include('links');
    const off = await browser.submit(on, '/account/letters');
    expect(off.text).to.include('Switch on');
    expect(await lettersOf('ada@letters.example')).to.equal(null);
  });

  it("do not go to another account's address, or to one that is not verified", async () => {
    await reader('bea@letters.example');
    const browser = new FormBrowser();
    await world().signInByMail(browser, 'cy@letters.example');
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec((await account(browser)).text) ?? [];
    for (const address of ['bea@letters.example', 'new@letters.example', '']) {
      const fields = new URLSearchParams({ csrf, address });
      const refused = await browser.post(world().at('/account/letters'), fields);
      expect([refused.status, refused.text.includes('Nothing was changed')], address).to.deep.equal([400, true]);
    }
    const foreign = await browser.post(
      world().at('/account/letters'),
      new URLSearchParams({ address: 'cy@letters.example' }),
    );
    expect([foreign.status, await lettersOf('cy@letters.example')], 'without the token of the page').to.deep.equal([
      403,
      null,
    ]);
  });

  it('are switched on at sign-in where that was chosen', async () => {
    for (const [email, letters] of [
      ['dan@letters.example', {}],
      ['eve@letters.example', { letters: 'on' }],
    ] as const) {
      const browser = new FormBrowser();
      await browser.submit(await browser.get(world().at()), '/login/email', { email, ...letters });
      await browser.submit(await browser.get(await world().mail.linkTo(email)), '/login/link');
      expect((await lettersOf(email))?.address, email).to.equal('letters' in letters ? email : undefined);
    }
  });

  it('end by the POST of a mail program, and by a button; opening the link changes nothing', async () => {
    const email = 'fay@letters.example';
    await reader(email);
    const end = world().at(`/account/letters/end?token=${await nextSecret(email)}`);
    for (const browser of [new FormBrowser(), new FormBrowser()]) {
      expect((await browser.get(end)).text).to.include('No more letters');
    }
    expect(await lettersOf(email)).to.not.equal(null);
    const other = await fetch(world().at('/account/letters/end?token=no-secret'), { method: 'POST' });
    expect([other.status, (await lettersOf(email)) === null]).to.deep.equal([200, false]);
    // As RFC 8058 has it: no cookie, no origin.
    const form = new FormData();
    form.set('List-Unsubscribe', 'One-Click');
    const answers = [];
    for (const body of [form, new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })]) {
      const answer = await fetch(end, { method: 'POST', body });
      answers.push([answer.status, (await answer.text()).includes('No more weekly letters')]);
    }
    expect(answers).to.deep.equal([
      [200, true],
      [200, false],
    ]);
    expect(await lettersOf(email)).to.equal(null);
    const again = await reader('gus@letters.example');
    const link = world().at(`/account/letters/end?token=${await nextSecret('gus@letters.example')}`);
    expect((await again.submit(await again.get(link), `end?${new URL(link).searchParams.toString()}`)).text).to.include(
      'No more weekly letters',
    );
    expect(await lettersOf('gus@letters.example')).to.equal(null);
  });

  it('end by a link that does nothing else', async () => {
    const email = 'hal@letters.example';
    await reader(email);
    const secret = await nextSecret(email);
    const browser = new FormBrowser();
    await browser.get(world().at(`/account/letters/end?token=${secret}`));
    expect((await account(browser)).url, 'no session').to.include('/login');
    expect((await browser.get(world().at(`/login/link?token=${secret}`))).status).to.equal(400);
  });
});

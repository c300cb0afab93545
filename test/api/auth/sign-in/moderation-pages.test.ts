import { expect } from 'chai';
import { DAY_MS, MINUTE_MS } from '../../../../config/units.ts';
import { openAccountOwner } from '../../../support/account-owner.ts';
import { eventually } from '../../../support/eventually.ts';
import { FormBrowser, type VisitedPage } from '../../../support/form-browser.ts';
import { openIdentityService } from '../../../support/identity-service.ts';
import { useFixture } from '../../../support/use-fixture.ts';

const HOSTILE = `<script>alert(1)</script> "quoted' & $where`;
const ESCAPED = '&lt;script&gt;alert(1)&lt;/script&gt; &quot;quoted&#39; &amp; $where';

/** Status and stable code of a refusal. */
function refusalIn({ status, text }: VisitedPage): [number, string] {
  return [status, /Code: <code>(\w+)<\/code>/.exec(text)?.[1] ?? ''];
}

const decided = (action: string) => ({ action, reason: `Only for the operator: ${action}.` });

describe('reports, cases and moderation', () => {
  const service = useFixture(openIdentityService);
  const moderator = useFixture(() => openAccountOwner(service(), 'moderating'));
  const reader = useFixture(() => openAccountOwner(service(), 'reading'));
  const owner = useFixture(() => openAccountOwner(service(), 'owning'));

  before(async () => {
    // Without a worker, whose maintenance closes the cases of rules that no row crosses.

    for (const { submit } of [reader(), owner()]) {
      await submit({ input: 60_000, output: 400_000, cache_read: 5_000_000, cache_write: 300_000 });
    }
    service().ahead += MINUTE_MS;
    const { ranking } = service();
    await ranking.reconcileLog(async (batch) => {
      await ranking.processBatch(batch, await ranking.log.ofBatch(batch));
    });
    await ranking.rebuildBoard();
    for (const { page } of [reader(), owner()])
      await eventually('a rank', async () => (await page()).text.includes('Rank'));
    await service().accounts.setModerator(moderator().operator, true);
  });

  // A test sends about as many forms as a client may send in a minute.
  beforeEach(() => {
    service().ahead += MINUTE_MS;
  });

  const find = async (rule: string) => (await service().accounts.cases.find(`${owner().operator}/${rule}`))!;
  const open = async (rule: string, operator = owner().operator) => {
    await service().accounts.cases.open([{ operator, rule, severity: 'hold', boardVersion: 3 }]);
    return `/moderation/case?id=${encodeURIComponent(`${operator}/${rule}`)}`;
  };

  const close = () => service().accounts.cases.recordFindings([], { operators: [owner().operator] });

  it('are for those who signed in, each page with its role, and forms only from own pages', async () => {
    const id = `${owner().operator}/roles`;
    const address = await open('roles');
    const seen = { decided: '0', appeal_at: '0', answer_at: '0', rules: 'roles' };
    const fields = { id, ...seen, action: 'void', reason: 'Checked.' };
    const stranger = new FormBrowser();
    for (const path of ['/moderation', address, `/account/report?operator=${owner().codename}`]) {
      const { url } = await stranger.get(`${service().origin}${path}`);
      expect(url, path).to.equal(`${service().origin}/login?${new URLSearchParams({ next: path }).toString()}`);
    }
    expect(refusalIn(await reader().page('/moderation'))).to.deep.equal([403, 'not_moderator']);
    expect(refusalIn(await reader().page(address))).to.deep.equal([403, 'not_moderator']);
    expect(refusalIn(await reader().send('/moderation/decide', fields))).to.deep.equal([403, 'not_moderator']);
    expect(refusalIn(await reader().send('/moderation/open', { codename: owner().codename }))).to.deep.equal([
      403,
      'not_moderator',
    ]);
    expect((await reader().page()).text).to.not.include('/moderation');
    expect((await moderator().page()).text).to.include('href="/moderation"');
    expect(refusalIn(await reader().send('/account/integrity/answer', { rule: 'roles', text: 'Mine?' }))).to.deep.equal(
      [404, 'case_unknown'],
    );
    for (const path of ['/moderation/decide', '/moderation/open', '/account/report', '/account/integrity/appeal']) {
      const forged = await moderator().browser.post(
        `${service().origin}${path}`,
        new URLSearchParams({ ...fields, csrf: 'x' }),
      );
      expect([forged.status, forged.text.includes('This form has expired')], path).to.deep.equal([403, true]);
    }
    expect((await find('roles')).decisions).to.deep.equal([]);
  });

  it('clear a finding up to twice what the page showed, whatever has grown since', async () => {
    const { ranking } = service();
    const coveredNow = async () => (await ranking.operators.measured(owner().operator)).covered('extraordinary-yield');
    const shown = await moderator().page(await open('extraordinary-yield'));
    const covers = await coveredNow();
    await owner().submit({ input: 60_001, output: 2_000_000, cache_read: 9_000_000, cache_write: 300_000 });
    service().ahead += MINUTE_MS;
    await ranking.reconcileLog(async (batch) => {
      await ranking.processBatch(batch, await ranking.log.ofBatch(batch));
    });
    expect((await coveredNow())[0]).to.be.greaterThan(2 * covers[0]!);
    await moderator().browser.submit(shown, '/decide', decided('void'));
    expect((await find('extraordinary-yield')).decisions.at(-1)?.covers).to.deep.equal(covers);
  });

  it('report a row once, ten a day, not the own one, and not without a rank', async () => {
    const path = `/account/report?operator=${owner().codename.toUpperCase()}`;
    expect((await reader().page(path)).text).to.match(/<select [^>]*required><option value="">/);
    const thanks = await reader().browser.submit(await reader().page(path), '/account/report', { reason: 'timing' });
    expect([thanks.status, thanks.text.includes('Thank you')]).to.deep.equal([200, true]);
    const second = await reader().page(path);
    expect(second.text).to.include('No decision yet.').and.include('Back to the operator').and.not.include('<form');
    const again = { operator: owner().codename, reason: 'counts' };
    expect(refusalIn(await reader().send('/account/report', again))).to.deep.equal([409, 'already_reported']);
    expect(refusalIn(await moderator().page(path))).to.deep.equal([403, 'not_ranked']);
    expect(refusalIn(await owner().page(path))).to.deep.equal([403, 'own_row']);
    expect(refusalIn(await reader().page('/account/report?operator=nobody-here'))).to.deep.equal([404, 'row_unknown']);
    expect(refusalIn(await reader().page(`/account/report?operator=${moderator().codename}`))[1]).to.equal(
      'row_unknown',
    );
    const list = await reader().page();
    expect(list.text).to.include(`<li><span>${owner().codename}<br>`);
    await service().ranking.operators.hide(owner().operator, true);
    expect(refusalIn(await reader().page(path))).to.deep.equal([404, 'row_unknown']);
    expect((await reader().page()).text)
      .to.include('<li><span>an operator that left the boards<br>')
      .and.not.include(owner().codename);
    service().ahead += DAY_MS;
    await service().ranking.operators.hide(owner().operator, false);
    for (let other = 0; other < 10; other += 1) {
      const report = {
        reporter: owner().operator,
        operator: 1_000 + other,
        reason: 'counts',
        boardVersion: 1,
      } as const;
      expect(await service().accounts.cases.report(report)).to.equal('reported');
    }
    const beyond = { operator: reader().codename, reason: 'counts' };
    expect(refusalIn(await owner().send('/account/report', beyond))).to.deep.equal([429, 'report_limit']);
    expect((await owner().page()).text).to.not.include('reported these counts');
    expect((await reader().page()).text)
      .to.include(`<li><span>${owner().codename}<br>`)
      .and.include('No decision yet.')
      .and.not.include('The newest');
    service().ahead += DAY_MS;
    await service().accounts.cases.report({
      reporter: owner().operator,
      operator: 2_000,
      reason: 'counts',
      boardVersion: 1,
    });
    expect((await owner().page()).text).to.include('The newest 10 of 11 reports.');
  });

  it('answer a report by a decision about a finding since then, without the reason for the operator', async () => {
    const early = await moderator().page(await open('early', 3_000));
    await moderator().browser.submit(early, '/moderation/decide', decided('void'));
    const report = { reporter: reader().operator, operator: 3_000, reason: 'counts', boardVersion: 1 } as const;
    expect(await service().accounts.cases.report(report)).to.equal('reported');
    const outcomeOf = async (row: string) => (await reader().page()).text.split(`${row}<br>`)[1]?.split('</li>')[0];
    const address = await open('later');
    for (const [action, words] of [
      ['exclude', 'A moderator excluded the operator from the boards.'],
      ['void', 'and voided the finding. Other findings still apply.'],
    ] as const) {
      await moderator().browser.submit(await moderator().page(address), '/moderation/decide', decided(action));
      expect(await outcomeOf(owner().codename))
        .to.include(words)
        .and.not.include('Only for');
      expect((await owner().page()).text)
        .to.include(words)
        .and.include(`Only for the operator: ${action}.`);
    }
    expect(await outcomeOf('an operator that left the boards'), 'decided before').to.include('No decision yet.');
  });

  it('decide a report, with an answer to both sides', async () => {
    const queue = await moderator().page('/moderation');
    expect(queue.text)
      .to.include(`${owner().codename}: reported<br><span class="soft">1 report, `)
      .and.include(`aria-label="Open ${owner().codename}: reported"`)
      .and.not.include(reader().codename);
    const address = `/moderation/case?id=${owner().operator}%2Freported`;
    const shown = await moderator().page(address);
    expect(shown.text)
      .to.include('1 × Growth that does not fit its time')
      .and.include('those who reported it read it')
      .and.include('No action: the rules alone decide')
      .and.match(/<summary>Exclude the operator<\/summary>\s*<p><button [^>]*>Confirm: exclude the operator</)
      .and.not.include(reader().codename);
    const short = await moderator().browser.submit(shown, '/moderation/decide', { action: 'exclude', reason: ' ' });
    expect(refusalIn(short)).to.deep.equal([400, 'text_invalid']);
    const filled = { action: 'exclude', reason: `It doubles every hour. ${HOSTILE}` };
    expect((await moderator().browser.submit(shown, '/moderation/decide', filled)).url).to.match(/\/moderation$/);
    const second = await moderator().browser.submit(shown, '/moderation/decide', filled);
    expect(refusalIn(second)).to.deep.equal([409, 'case_changed']);
    for (const { page } of [owner(), reader()]) {
      const { text } = await page();
      expect(text).to.include(`It doubles every hour. ${ESCAPED}`).and.include('A moderator excluded the operator');
      expect(text).to.not.include('<script>').and.not.include(moderator().codename);
    }
    expect((await owner().page()).text).to.not.include(reader().codename);
  });

  it('are refused about the own row and a reported one, and once the role is revoked', async () => {
    await service().accounts.setModerator(reader().operator, true);
    await service().accounts.setModerator(owner().operator, true);
    const address = await open('matrix');
    expect(refusalIn(await reader().page(address))).to.deep.equal([403, 'reported_by_you']);
    expect(refusalIn(await owner().page(address))).to.deep.equal([403, 'own_row']);
    const fields = {
      id: `${owner().operator}/matrix`,
      decided: '0',
      appeal_at: '0',
      answer_at: '0',
      rules: 'matrix',
      action: 'void',
      reason: 'Fine.',
    };
    expect(refusalIn(await reader().send('/moderation/decide', fields))).to.deep.equal([403, 'reported_by_you']);
    expect(refusalIn(await owner().send('/moderation/decide', fields))).to.deep.equal([403, 'own_row']);
    const own = await owner().send('/moderation/open', { codename: owner().codename });
    expect(refusalIn(own)[1]).to.equal('own_row');
    expect(own.text).to.include('Back to the queue');
    for (const { page } of [owner(), reader()])
      expect((await page('/moderation')).text).to.not.include(`${owner().codename}:`);
    for (const { operator } of [owner(), reader()]) await service().accounts.setModerator(operator, false);
    const shown = await moderator().page(address);
    await service().accounts.setModerator(moderator().operator, false);
    const late = await moderator().browser.submit(shown, '/moderation/decide', { action: 'void', reason: 'Fine.' });
    expect(refusalIn(late)).to.deep.equal([403, 'not_moderator']);
    await service().accounts.setModerator(moderator().operator, true);
    expect((await find('matrix')).decisions).to.deep.equal([]);
    const unfit = { ...fields, action: 'show_answer' };
    expect(refusalIn(await moderator().send('/moderation/decide', unfit))).to.deep.equal([400, 'action_unknown']);
    expect(refusalIn(await moderator().send('/moderation/decide', { ...fields, id: '0/x' }))[1]).to.equal(
      'case_unknown',
    );
  });

  it('show a case to its operator with its evidence, who answers and appeals in plain text', async () => {
    await close();
    const reported = await moderator().page(`/moderation/case?id=${owner().operator}%2Freported`);
    await moderator().browser.submit(reported, '/decide', decided('restore'));
    const address = await open('answered');
    const rule = 'answered';
    const page = await owner().page();
    const shownIn = (visited: VisitedPage) => visited.text.split(`<h3>${rule}<`)[1]?.split('<h3>')[0];
    expect(shownIn(page))
      .to.include('The present counts do not cross this rule.')
      .and.include('Explain your usage in an answer at your account.')
      .and.not.include('/integrity/answered"');
    const answered = await owner().browser.submit(page, '/integrity/answer', { rule, text: HOSTILE });
    expect(answered.text).to.include(`${ESCAPED}</textarea>`).and.not.include('<script>');
    const linked = await owner().send('/account/integrity/answer', { rule, text: 'See "<b>claude.ai</b>".' });
    expect(linked.text).to.include('An answer has no links; &quot;b&gt;claude.ai&lt;/b&quot; looks like one.');
    for (const text of ['See https://example.org', 'a\u202eb', 'x'.repeat(501)]) {
      const refused = await owner().send('/account/integrity/answer', { rule, text });
      expect(refusalIn(refused)).to.deep.equal([400, 'text_invalid']);
      expect(refused.text).to.include(`readonly>${text}</textarea>`);
    }
    const second = await open('second');
    const appealed = await owner().browser.submit(answered, '/integrity/appeal', { text: 'A merged log.' });
    expect(appealed.text).to.match(/You appealed on \d+ [A-Z][a-z]+ \d{4}: A merged log\./);
    expect(appealed.text.match(/Your appeal of \d+ [A-Z][a-z]+ \d{4} waits for a moderator\./g)).to.have.length(2);
    expect(shownIn(appealed))
      .to.include('waits for a moderator')
      .and.not.include('Explain your usage in an answer at your account.');
    const twice = await owner().send('/account/integrity/appeal', { text: 'And again.' });
    expect(refusalIn(twice)).to.deep.equal([409, 'case_changed']);
    expect((await moderator().page('/moderation')).text).to.match(/<ul class="rows"><li><span>[\w-]+: answered<br>/);
    const shown = await moderator().page(address);
    expect(shown.text)
      .to.include(`<p>${ESCAPED}</p>`)
      .and.include('A merged log.')
      .and.include('The operator reads it.')
      .and.include('for all cases in effect: answered, second.');
    const other = (await moderator().page(second)).text;
    expect(other, 'decided once')
      .to.include('An appeal about all cases in effect waits.')
      .and.not.include('<button type="submit" name="action"');
    const hidden = await moderator().browser.submit(shown, '/decide', {
      action: 'hide_answer',
      reason: 'Not about it.',
    });
    expect(hidden.url).to.include('/moderation/case?id=');
    await moderator().browser.submit(hidden, '/decide', { action: 'void', reason: 'The log was merged.' });
    const { text } = await owner().page();
    expect(text).to.include('A moderator has hidden it.').and.include('The log was merged.').and.include('voided');
    expect(text)
      .to.match(/You appealed on \d+ [A-Z][a-z]+ \d{4}, answered: A merged log\./)
      .and.not.include('by you');
    expect((await moderator().page(address)).text).to.match(/UTC, by you: The log was merged\./);
    expect((await find('second')).decisions.map(({ reason }) => reason)).to.deep.equal(['The log was merged.']);
    expect(text, 'nothing to appeal against').to.not.include('<summary>Appeal');
    const pointless = await owner().send('/account/integrity/appeal', { text: 'Against nothing.' });
    expect(refusalIn(pointless)).to.deep.equal([409, 'case_changed']);
    await owner().browser.submit(await owner().page(), '/integrity/answer', { rule, text: '' });
    expect((await find(rule)).answer).to.include({ text: '', hidden: true });
    const document = await owner().send('/account/export', {});
    expect(document.text).to.include('The log was merged.').and.not.include(`"by"`);
  });

  it('show a closed case without an appeal, and keep the one that was made', async () => {
    const { accounts } = service();
    const { operator } = owner();
    const address = await open('fading');
    await accounts.cases.appeal(await find('fading'), 'It was one day.', '');
    await open('faded');
    await accounts.cases.recordFindings([], { operators: [operator] });
    for (const shown of [await owner().page(), await moderator().page(address)]) {
      expect(shown.text)
        .to.match(/At present: closed on \d+ [A-Z][a-z]+ \d{4}\./)
        .and.not.include('no number meanwhile');
    }
    expect((await owner().page()).text)
      .to.include('You appealed on')
      .and.not.include('<summary>Appeal');
    const pointless = await owner().send('/account/integrity/appeal', { text: 'Against nothing.' });
    expect(refusalIn(pointless)).to.deep.equal([409, 'case_changed']);
    expect((await moderator().page('/moderation')).text).to.include(': fading');
    expect((await moderator().page('/moderation')).text).to.not.include(': faded');
    expect((await owner().send('/account/export', {})).text).to.match(/"rule": "faded",[^}]*"closed_at": "\d{4}-/);
    await moderator().browser.submit(await moderator().page(address), '/decide', decided('restore'));
    await close();
  });

  it('say from when on a decided matter can be appealed again', async () => {
    const address = await open('rested');
    await owner().browser.submit(await owner().page(), '/integrity/appeal', { text: 'It was one day.' });
    await moderator().browser.submit(await moderator().page(address), '/decide', decided('exclude'));
    const { text } = await owner().page();
    expect(text).to.match(/You can appeal again from \d+ [A-Z][a-z]+ \d{4} on, or once your counts have changed/);
    expect(text).to.not.include('<summary>Appeal');
    const early = await owner().send('/account/integrity/appeal', { text: 'And again.' });
    expect(refusalIn(early)).to.deep.equal([409, 'case_changed']);
    await moderator().browser.submit(await moderator().page(address), '/decide', decided('void'));
  });

  it('show exclusions before held rows, with the remedy of each', async () => {
    await open('extraordinary-yield');
    const boardVersion = 3;
    await service().accounts.cases.open([
      { operator: owner().operator, rule: 'no-input', severity: 'exclude', boardVersion },
    ]);
    expect((await owner().page()).text).to.match(
      /<h3>no input<[^]*run <code>upsilon recount<\/code>[^]*Otherwise appeal[^]*<h3>extraordinary yield</,
    );
    await service().accounts.cases.recordFindings([], { rules: ['no-input', 'extraordinary-yield'] });
  });

  it('show the last page of the queue for a page beyond it', async () => {
    const found = Array.from({ length: 21 }, (_, n) => {
      return { operator: 7_000 + n, rule: 'paged', severity: 'hold', boardVersion: 3 } as const;
    });
    await service().accounts.cases.open(found);
    const { text } = await moderator().page('/moderation?page=99');
    expect(text).to.include('operator 7020: paged').and.not.include('Nothing waits').and.not.include('Next page');
    expect(text).to.include('Previous page');
    expect((await moderator().page('/moderation')).text).to.include('Next page');
  });

  it('exclude and restore a row without a finding', async () => {
    const queue = await moderator().page('/moderation');
    const shown = await moderator().browser.submit(queue, '/moderation/open', { codename: ` ${owner().codename} ` });
    expect(shown.text).to.include(`${owner().codename}: review`);
    await moderator().browser.submit(shown, '/decide', { action: 'exclude', reason: 'Counts of a test.' });
    expect(await find('review')).to.include({ state: 'confirmed' });
    await service().ranking.rebuildBoard();
    await eventually('no rank', async () => (await owner().page()).text.includes('You are not ranked'));
    const reported = await reader().page(`/account/report?operator=${owner().codename}`);
    expect(reported.text, 'the report of a row that is gone').to.include('You reported this operator');
    const text = 'These were days of load tests.';
    await owner().browser.submit(await owner().page(), '/integrity/appeal', { text });
    expect((await moderator().page('/moderation')).text).to.include(': review');
    await moderator().browser.submit(
      await moderator().page(new URL(shown.url).pathname + new URL(shown.url).search),
      '/decide',
      {
        action: 'restore',
        reason: 'Explained.',
      },
    );
    expect(await find('review')).to.include({ state: 'open' });
    expect((await owner().page()).text).to.include('Explained.');
  });
});

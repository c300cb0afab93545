import { expect } from 'chai';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../../config/units.ts';
import { isShownToOperator } from '../../../../../engine/integrity/cases/index.ts';
import { useFreshFixture } from '../../../../support/use-fixture.ts';
import { START } from '../../../accounts/open-accounts.ts';
import { openCases } from './cases-under-test.ts';

describe('integrity cases', () => {
  const under = useFreshFixture(openCases);

  const report = (reporter: number, operator: number) =>
    under().accounts.cases.report({ reporter, operator, reason: 'counts', boardVersion: 7 });
  const queueOf = async (moderator: number, page = 1, size = 50) =>
    (await under().accounts.cases.queue(moderator, page, size)).cases.map(({ _id }) => _id);

  it('are opened once, with public evidence after 72 hours, at once for an exclusion, of a copy after a look at it', async () => {
    const { cases } = under().accounts;
    const finding = { operator: 5, rule: 'extraordinary-yield', severity: 'hold', boardVersion: 7 } as const;
    const copy = { ...finding, rule: 'identical-series' };
    await cases.open([finding, copy, { ...finding, operator: 6, rule: 'no-input', severity: 'exclude' }]);
    under().now += HOUR_MS;
    await cases.open([{ ...finding, boardVersion: 8 }]);
    const found = await under().read('5/extraordinary-yield');
    expect(found).to.include({ severity: 'hold', state: 'open', board_version: 7, notified_at: null });
    expect([found.opened_at, found.public_at]).to.deep.equal([new Date(START), new Date(START + 3 * DAY_MS)]);
    expect((await under().read('6/no-input')).public_at).to.deep.equal(new Date(START));
    expect((await under().read('5/identical-series')).public_at).to.equal(null);
    await under().decide(await under().read('5/identical-series'), 'restore');
    expect((await under().read('5/identical-series')).public_at).to.deep.equal(new Date(START + 3 * DAY_MS));
  });

  it('that a moderator cleared open again for a finding beyond it, unless it may be from before the decision', async () => {
    const finding = { operator: 5, rule: 'no-input', severity: 'exclude', boardVersion: 9 } as const;
    await under().decide(await under().openCase(5), 'void');
    for (const [later, state] of [
      [9 * MINUTE_MS, 'void'],
      [MINUTE_MS, 'open'],
    ] as const) {
      under().now += later;
      await under().accounts.cases.recordFindings([finding], { operators: [5] });
      expect(await under().read('5/no-input')).to.include({ state });
    }
    const again = await under().read('5/no-input');
    expect(again).to.deep.include({
      public_at: new Date(under().now),
      waiting: { kind: 'rule', since: new Date(under().now) },
    });
    expect(again).to.deep.include({ severity: 'exclude', board_version: 9, notify_since: new Date(under().now) });
  });

  it('are opened concurrently without loss, many at once', async () => {
    const found = Array.from({ length: 1_100 }, (_, n) => {
      return { operator: 1_000 + n, rule: 'no-input', severity: 'hold', boardVersion: 7 } as const;
    });
    await Promise.all([under().accounts.cases.open(found), (await under().another()).cases.open(found.toReversed())]);
    expect(await under().accounts.cases.counts()).to.deep.equal({
      waiting: 1_100,
      oldestAppealAt: null,
      byRule: [{ rule: 'no-input', severity: 'hold', operators: 1_100 }],
    });
    expect(await under().accounts.cases.queue(1, 99, 50)).to.include({ page: 22, last: 22 });
    expect(await queueOf(1, 22)).to.deep.equal(await queueOf(1, 99));
  });

  it('wait in a queue that takes turns between appeals, reports and findings, without those that the moderator may not decide', async () => {
    for (const operator of [3, 4, 5, 6, 7, 1]) {
      await under().openCase(operator);
      under().now += 1;
    }
    for (const operator of [5, 4]) {
      under().now += 1;
      expect(await under().appeal(`${operator}/no-input`)).to.equal(true);
    }
    await report(2, 8);
    under().now += 1;
    for (const operator of [9, 1]) await report(3, operator);
    const rule = 'no-input';
    const whole = [`5/${rule}`, '8/reported', `3/${rule}`, `4/${rule}`, '9/reported', `6/${rule}`, `7/${rule}`];
    expect(await queueOf(1)).to.deep.equal(whole);
    for (const size of [1, 2, 3, 4]) {
      const pages = Array.from({ length: Math.ceil(whole.length / size) }, (_, page) => queueOf(1, page + 1, size));
      expect((await Promise.all(pages)).flat(), `${size} a page`).to.deep.equal(whole);
    }
    expect(await queueOf(2)).to.deep.equal([
      `5/${rule}`,
      '1/reported',
      `3/${rule}`,
      `4/${rule}`,
      '9/reported',
      `6/${rule}`,
      `7/${rule}`,
      `1/${rule}`,
    ]);
    const oldestAppealAt = (await under().read(`5/${rule}`)).appeal?.at;
    const reported = { rule: 'reported', severity: 'note', operators: 3 } as const;
    const byRule = (operators: number) => [{ rule, severity: 'hold', operators }, reported];
    expect(await under().accounts.cases.counts()).to.deep.equal({ waiting: 9, oldestAppealAt, byRule: byRule(6) });
    await under().decide(await under().read(`3/${rule}`), 'void');
    expect((await under().accounts.cases.counts()).byRule).to.deep.equal(byRule(5));
    await under().decide(await under().read(`5/${rule}`), 'exclude');
    expect((await queueOf(1))[0]).to.equal(`4/${rule}`);
  });

  it('opened by reports change nothing, once a reporter and row, ten a day', async () => {
    expect(await report(5, 5)).to.equal('own');
    const outcomes = await Promise.all([report(5, 6), report(5, 6), report(5, 6)]);
    expect(outcomes.toSorted()).to.deep.equal(['already', 'already', 'reported']);
    const others = await Promise.all(Array.from({ length: 12 }, (_, n) => report(5, 100 + n)));
    expect(others.filter((outcome) => outcome === 'reported')).to.have.length(9);
    expect(await report(5, 200)).to.equal('limit');
    expect(await under().accounts.cases.find('200/reported')).to.equal(null);
    under().now += DAY_MS;
    expect([await report(5, 200), await report(5, 6)]).to.deep.equal(['reported', 'already']);
    const found = await under().read('6/reported');
    expect(found)
      .to.include({ severity: 'note', state: 'open', public_at: null })
      .and.to.not.have.property('notify_since');
    expect([isShownToOperator(found), under().board.size]).to.deep.equal([false, 0]);
    expect(await under().accounts.cases.reportCounts(6)).to.deep.equal({ counts: 1 });
  });

  it('opened by reports rest for 30 days after a decision', async () => {
    await report(5, 6);
    await under().decide(await under().read('6/reported'), 'restore');
    expect(await report(7, 6)).to.equal('decided');
    expect(await queueOf(1)).to.deep.equal([]);
    under().now += 20 * DAY_MS;
    await under().accounts.cases.setAnswer('6/reported', 'It was a merged log.');
    await under().decide(await under().read('6/reported'), 'hide_answer');
    under().now += 11 * DAY_MS;
    expect(await report(8, 6)).to.equal('reported');
    expect(await queueOf(1)).to.deep.equal(['6/reported']);
    expect((await under().accounts.cases.dueNotices(10)).reports).to.have.length(1);
  });

  it('disappear with an erased operator, and with them its reports', async () => {
    await under().openCase(5);
    await report(5, 6);
    await report(7, 5);
    await under().accounts.erasures.begin(5);
    await under().accounts.erasures.erase(5);
    expect(await under().accounts.cases.ofOperator(5)).to.deep.equal([]);
    expect(await under().connection.collection('integrity_reports').countDocuments()).to.equal(0);
  });
});

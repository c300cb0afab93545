import { expect } from 'chai';
import { DAY_MS, HOUR_MS } from '../../../../config/units.ts';
import { isShownToOperator } from '../../../../engine/accounts/index.ts';
import { START } from '../open-accounts.ts';
import { type CasesUnderTest, openCases } from './cases-under-test.ts';

describe('integrity cases', () => {
  let under: CasesUnderTest;

  beforeEach(async () => {
    under = await openCases();
  });

  afterEach(() => under.close());

  const report = (reporter: number, operator: number) =>
    under.accounts.cases.report({ reporter, operator, reason: 'counts', boardVersion: 7 });
  const queueOf = async (moderator: number, of: 'people' | 'rules', skip = 0, limit = 50) =>
    (await under.accounts.cases.queue(moderator, of, skip, limit)).map(({ _id }) => _id);

  it('are opened once, with public evidence after 72 hours, at once for an exclusion', async () => {
    const { cases } = under.accounts;
    const flag = { operator: 5, rule: 'ratio', severity: 'flag', boardVersion: 7 } as const;
    await cases.open([flag, { ...flag, operator: 6, severity: 'exclude' }]);
    under.now += HOUR_MS;
    await cases.open([flag, { ...flag, severity: 'note' }]);
    const found = await under.read('5/ratio');
    expect(found).to.include({ severity: 'flag', state: 'open', board_version: 7, notified_at: null });
    expect([found.opened_at, found.public_at]).to.deep.equal([new Date(START), new Date(START + 3 * DAY_MS)]);
    expect((await under.read('6/ratio')).public_at).to.deep.equal(new Date(START));
    await under.decide(found, 'void');
    await cases.open([{ ...flag, severity: 'exclude', boardVersion: 9 }]);
    const raised = await under.read('5/ratio');
    expect(raised).to.include({ severity: 'exclude', state: 'open', board_version: 9 });
    expect([raised.public_at, raised.decisions.length]).to.deep.equal([new Date(under.now), 1]);
  });

  it('are opened concurrently without loss, many at once', async () => {
    const found = Array.from({ length: 1_100 }, (_, n) => {
      return { operator: 1_000 + n, rule: 'ratio', severity: 'flag', boardVersion: 7 } as const;
    });
    await Promise.all([under.accounts.cases.open(found), (await under.another()).cases.open(found.toReversed())]);
    expect(await under.accounts.cases.counts()).to.deep.equal({
      waiting: 1_100,
      oldestAppealAt: null,
      byRule: [{ rule: 'ratio', severity: 'flag', operators: 1_100 }],
    });
    expect(await queueOf(1, 'rules', 1_090, 50)).to.have.length(10);
  });

  it('wait in a queue: oldest appeals first, without those that the moderator may not decide', async () => {
    const { cases } = under.accounts;
    for (const operator of [3, 4, 5, 1]) {
      await under.openCase(operator, 'ratio');
      under.now += 1;
    }
    for (const operator of [5, 4]) {
      under.now += 1;
      expect(await cases.appeal(await under.read(`${operator}/ratio`), 'Please look again.')).to.equal(true);
    }
    expect(await cases.appeal(await under.read('5/ratio'), 'And again.')).to.equal(false);
    await report(2, 6);
    expect(await queueOf(1, 'people')).to.deep.equal(['5/ratio', '4/ratio', '6/reported']);
    expect(await queueOf(1, 'rules')).to.deep.equal(['3/ratio']);
    expect(await queueOf(2, 'people')).to.deep.equal(['5/ratio', '4/ratio']);
    expect(await queueOf(2, 'rules')).to.deep.equal(['3/ratio', '1/ratio']);
    const oldestAppealAt = (await under.read('5/ratio')).appeal?.at;
    const reported = { rule: 'reported', severity: 'note', operators: 1 } as const;
    const byRule = (operators: number) => [{ rule: 'ratio', severity: 'flag', operators }, reported];
    expect(await cases.counts()).to.deep.equal({ waiting: 5, oldestAppealAt, byRule: byRule(4) });
    await under.decide(await under.read('3/ratio'), 'void');
    expect((await cases.counts()).byRule).to.deep.equal(byRule(3));
    await under.decide(await under.read('5/ratio'), 'exclude');
    expect((await queueOf(1, 'people'))[0]).to.equal('4/ratio');
    expect(await cases.appeal(await under.read('5/ratio'), 'It was a merged log.')).to.equal(true);
  });

  it('opened by reports change nothing, once a reporter and row, ten a day', async () => {
    expect(await report(5, 5)).to.equal('own');
    const outcomes = await Promise.all([report(5, 6), report(5, 6), report(5, 6)]);
    expect(outcomes.toSorted()).to.deep.equal(['already', 'already', 'reported']);
    const others = await Promise.all(Array.from({ length: 12 }, (_, n) => report(5, 100 + n)));
    expect(others.filter((outcome) => outcome === 'reported')).to.have.length(9);
    expect(await report(5, 200)).to.equal('limit');
    expect(await under.accounts.cases.find('200/reported')).to.equal(null);
    under.now += DAY_MS;
    expect([await report(5, 200), await report(5, 6)]).to.deep.equal(['reported', 'already']);
    const found = await under.read('6/reported');
    expect(found)
      .to.include({ severity: 'note', state: 'open', public_at: null })
      .and.to.not.have.property('notify_since');
    expect([isShownToOperator(found), under.board.size]).to.deep.equal([false, 0]);
    expect(await under.accounts.cases.reportCounts(6)).to.deep.equal({ counts: 1 });
  });

  it('opened by reports rest for 30 days after a decision', async () => {
    await report(5, 6);
    await under.decide(await under.read('6/reported'), 'restore');
    expect(await report(7, 6)).to.equal('decided');
    expect(await queueOf(1, 'people')).to.deep.equal([]);
    under.now += 20 * DAY_MS;
    await under.accounts.cases.setAnswer('6/reported', 'It was a merged log.');
    await under.decide(await under.read('6/reported'), 'hide_answer');
    under.now += 11 * DAY_MS;
    expect(await report(8, 6)).to.equal('reported');
    expect(await queueOf(1, 'people')).to.deep.equal(['6/reported']);
    expect((await under.accounts.cases.dueNotices(10)).reports).to.have.length(1);
  });

  it('disappear with an erased operator, and with them its reports', async () => {
    await under.openCase(5);
    await report(5, 6);
    await report(7, 5);
    await under.accounts.erasures.begin(5);
    await under.accounts.erasures.erase(5);
    expect(await under.accounts.cases.ofOperator(5)).to.deep.equal([]);
    expect(await under.connection.collection('integrity_reports').countDocuments()).to.equal(0);
  });
});

import { expect } from 'chai';
import { DAY_MS, HOUR_MS } from '../../../../../config/units.ts';
import { useFreshFixture } from '../../../../support/use-fixture.ts';
import { START } from '../../../accounts/open-accounts.ts';
import { openCases } from './cases-under-test.ts';

const RULE = 'extraordinary-yield';
const FOUND = { operator: 5, rule: RULE, severity: 'hold', boardVersion: 7 } as const;
const ID = `5/${RULE}`;
const DELAY_MS = 3 * DAY_MS;

const stopped = async () => Promise.reject(new Error('the process stopped'));

describe('closed integrity cases', () => {
  const under = useFreshFixture(openCases);

  beforeEach(async () => {
    await under().accounts.cases.recordFindings([FOUND], { operators: [5] });
  });

  const find = (boardVersion = 8) =>
    under().accounts.cases.recordFindings([{ ...FOUND, boardVersion }], { operators: [5] });
  const lose = () => under().accounts.cases.recordFindings([], { operators: [5] });
  const queued = async () => (await under().accounts.cases.queue(1, 1, 9)).cases.map(({ _id }) => _id);
  const due = async () => (await under().accounts.cases.dueNotices(9)).cases.map(({ _id }) => _id);
  /** Mails what is due, and returns it. */
  async function mail(): Promise<string[]> {
    const { cases } = await under().accounts.cases.dueNotices(9);
    for (const one of cases) await under().accounts.cases.markCaseNotified(one, new Date(under().now));
    return cases.map(({ _id }) => _id);
  }

  it('leave the queue and the counts, and are mailed once, a day later', async () => {
    expect(await mail()).to.deep.equal([ID]);
    under().now += HOUR_MS;
    await lose();
    under().now += HOUR_MS;
    await lose();
    expect(await under().read(ID)).to.deep.include({ state: 'open', closed_at: new Date(START + HOUR_MS) });
    expect(await queued()).to.deep.equal([]);
    expect(await under().accounts.cases.counts()).to.deep.equal({ waiting: 0, oldestAppealAt: null, byRule: [] });
    expect(await due()).to.deep.equal([]);
    under().now = START + HOUR_MS + DAY_MS;
    expect([await mail(), await mail()]).to.deep.equal([[ID], []]);
  });

  it('of a finding that comes back within the day go on: no mail, the same place in the queue, the same delay', async () => {
    const first = await under().read(ID);
    const { notify_since: _mailed, ...before } = first;
    await mail();
    for (let flap = 0; flap < 3; flap += 1) {
      under().now += 2 * HOUR_MS;
      await lose();
      under().now += 2 * HOUR_MS;
      await find();
    }
    expect(await under().read(ID)).to.deep.equal({ ...before, notified_at: new Date(START) });
    under().now += 2 * DAY_MS;
    expect(await mail()).to.deep.equal([]);
    await under().decide(await under().read(ID), 'restore');
    await mail();
    await lose();
    under().now += 1;
    await find();
    expect(await queued(), 'a moderator left it to the rules').to.deep.equal([]);
  });

  it('of a finding that comes back later open again, with the answer kept', async () => {
    await mail();
    await under().accounts.cases.setAnswer(ID, 'One large document.');
    await lose();
    under().now += DAY_MS;
    await find(9);
    const found = await under().read(ID);
    expect(found).to.include({ state: 'open', board_version: 9 }).and.to.not.have.property('closed_at');
    expect([found.opened_at, found.public_at]).to.deep.equal([new Date(under().now), new Date(under().now + DELAY_MS)]);
    expect(found.answer?.text).to.equal('One large document.');
    expect([await queued(), await mail()]).to.deep.equal([[ID], [ID]]);
  });

  it('before the mail about the finding are mailed at once, also when a mail was under way', async () => {
    const [read] = (await under().accounts.cases.dueNotices(9)).cases;
    await lose();
    await under().accounts.cases.markCaseNotified(read!, new Date(under().now));
    expect(await mail()).to.deep.equal([ID]);
    under().now += HOUR_MS;
    await find();
    expect((await under().read(ID)).public_at).to.deep.equal(new Date(under().now + DELAY_MS));
    expect(await mail()).to.deep.equal([ID]);
  });

  it('keep an appeal waiting, through closing and opening again', async () => {
    await under().appeal(ID);
    const { waiting } = await under().read(ID);
    await lose();
    expect([await queued(), (await under().accounts.cases.counts()).byRule]).to.deep.equal([[ID], []]);
    for (const later of [HOUR_MS, 2 * DAY_MS]) {
      under().now += later;
      await find();
      expect((await under().read(ID)).waiting).to.deep.equal(waiting);
      await mail();
      await lose();
    }
    expect(await under().decide(await under().read(ID), 'exclude')).to.equal('decided');
    expect(await under().read(ID))
      .to.include({ state: 'confirmed' })
      .and.to.not.have.any.keys('closed_at', 'waiting');
  });

  it('are those of rules that no decision holds, and of the checked operators alone', async () => {
    const { cases } = under().accounts;
    const rules = ['rule-a', 'rule-b', 'rule-c'];
    for (const rule of rules) await under().openCase(5, rule);
    await under().openCase(6);
    await cases.report({ reporter: 7, operator: 5, reason: 'counts', boardVersion: 7 });
    await under().openCase(5, 'review');
    await under().decide(await under().read('5/rule-a'), 'exclude');
    await under().decide(await under().read('5/rule-b'), 'void');
    await under()
      .decide(await under().read('5/rule-c'), 'restore', { apply: stopped })
      .catch(() => undefined);
    const closed = async () =>
      await under()
        .connection.collection<{ _id: string }>('integrity_cases')
        .distinct('_id', { closed_at: { $exists: true } });
    await find();
    expect(await closed()).to.deep.equal([]);
    await cases.settle(under().apply);
    await lose();
    expect(await closed()).to.deep.equal([ID, '5/rule-c']);
    await under().decide(await under().read('5/rule-a'), 'restore');
    expect(await closed()).to.deep.equal([ID, '5/rule-c']);
    await lose();
    expect(await closed()).to.deep.equal([ID, '5/rule-a', '5/rule-c']);
  });

  it('are not made by a review that the rules find, which moderators open', async () => {
    await under().accounts.cases.recordFindings([FOUND, { ...FOUND, rule: 'review', severity: 'exclude' }], {
      operators: [5],
    });
    expect((await under().accounts.cases.ofOperator(5)).map(({ _id }) => _id)).to.deep.equal([ID]);
  });
});

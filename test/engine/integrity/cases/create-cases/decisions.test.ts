import { expect } from 'chai';
import { createAuditLog } from '../../../../../engine/accounts/audit-log.ts';
import { openModels } from '../../../../../engine/accounts/mongo/models.ts';
import { EVIDENCE_DELAY_MS, REPORTED_RULE, seenOf } from '../../../../../engine/integrity/cases/index.ts';
import { type CasesUnderTest, MEASURED, openCases } from './cases-under-test.ts';

describe('decisions about integrity cases', () => {
  let under: CasesUnderTest;

  beforeEach(async () => {
    under = await openCases();
  });

  afterEach(() => under.close());

  const auditOf = async (operator: number) =>
    (await createAuditLog(openModels(under.connection), () => under.now).list(operator, 10)).map(({ kind, detail }) => [
      kind,
      detail['action'],
    ]);

  it('take effect, with an audit entry for both, and end the waiting', async () => {
    const found = await under.openCase(5);
    expect(await under.decide(found, 'exclude')).to.equal('decided');
    const decided = await under.read(found._id);
    expect(decided).to.include({ state: 'confirmed' }).and.to.not.have.any.keys('pending', 'waiting');
    expect(decided.public_at?.getTime()).to.equal(under.now);
    expect(under.board.get(5)).to.equal('exclude');
    expect(await auditOf(5)).to.deep.equal([['integrity_decided', 'exclude']]);
    expect(await auditOf(1)).to.deep.include(['integrity_decision_made', 'exclude']);
    expect(await under.decide(decided, 'restore', { by: 2 })).to.equal('decided');
    expect(await under.read(found._id)).to.include({ state: 'open' });
    expect(under.board.get(5)).to.equal('restore');
  });

  it('are refused to all but moderators, about the own row, and after a report of it', async () => {
    const found = await under.openCase(5);
    await under.accounts.cases.report({ reporter: 2, operator: 5, reason: 'counts', boardVersion: 7 });
    await under.accounts.suspend(9, true);
    await under.accounts.setModerator(9, true);
    expect(await under.decide(found, 'void', { by: 4 })).to.equal('not_moderator');
    expect(await under.decide(found, 'void', { by: 9 })).to.equal('not_moderator');
    expect(await under.decide(found, 'void', { by: 77 })).to.equal('not_moderator');
    expect(await under.decide(found, 'void', { by: 2 })).to.equal('reported_by_you');
    expect(await under.decide(await under.openCase(1), 'void')).to.equal('own_row');
    expect(await under.read(found._id)).to.deep.equal(found);
    expect(under.board.size).to.equal(0);
  });

  it('made twice at once: one wins, the other gets the conflict', async () => {
    const found = await under.openCase(5);
    const other = (await under.another()).cases;
    const request = {
      id: found._id,
      reason: 'Checked.',
      counts: MEASURED.counts,
      seen: seenOf(found, [found], MEASURED.covered),
      client: null,
    };
    const outcomes = await Promise.all([
      under.decide(found, 'exclude'),
      other.decide({ ...request, by: 2, action: 'void' }, under.apply),
    ]);
    expect(outcomes.toSorted()).to.deep.equal(['conflict', 'decided']);
    const { decisions, state } = await under.read(found._id);
    expect(decisions).to.have.length(1);
    expect([state, under.board.get(5)]).to.deep.equal(
      decisions[0]?.action === 'exclude' ? ['confirmed', 'exclude'] : ['void', 'void'],
    );
    expect(await under.decide(found, 'restore')).to.equal('conflict');
  });

  for (const [where, before] of [
    ['before', true],
    ['after', false],
  ] as const) {
    const stopped = (open: CasesUnderTest) => async (operator: number, effect: Parameters<typeof open.apply>[1]) => {
      if (!before) await open.apply(operator, effect);
      throw new Error('the process stopped');
    };

    it(`interrupted ${where} its effect is completed once, by maintenance or the next request`, async () => {
      for (const operator of [5, 6]) {
        const found = await under.openCase(operator);
        const crash = await under.decide(found, 'exclude', { apply: stopped(under) }).catch(String);
        expect(crash).to.include('the process stopped');
        expect((await under.read(found._id)).decisions).to.have.length(0);
        if (operator === 5) await under.accounts.cases.settle(under.apply);
        else expect(await under.decide(found, 'void')).to.equal('conflict');
        const decided = await under.read(found._id);
        expect(decided.decisions.map(({ action }) => action)).to.deep.equal(['exclude']);
        expect(decided).to.not.have.property('pending');
        expect(under.board.get(operator)).to.equal('exclude');
        expect(await auditOf(operator)).to.have.length(1);
      }
    });

    it(`interrupted ${where} its effect is withdrawn when the role was revoked meanwhile`, async () => {
      const found = await under.openCase(5);
      await under.decide(found, 'exclude', { apply: stopped(under) }).catch(() => undefined);
      await under.accounts.setModerator(1, false);
      await under.accounts.cases.settle(under.apply);
      expect(await under.read(found._id)).to.deep.equal(found);
      expect(under.board.get(5)).to.equal('restore');
      expect(await auditOf(5)).to.deep.equal([]);
    });
  }

  it('about several cases of an operator, interleaved, end with the effect of all', async () => {
    const [first, second] = [await under.openCase(5, 'rule-a'), await under.openCase(5, 'rule-b')];
    await under.decide(first, 'exclude');
    expect(await under.decide(second, 'void', { by: 2 })).to.equal('decided');
    expect(under.board.get(5)).to.equal('exclude');
    // While the first case's restoration waits to be applied, the second one's case is excluded.
    let nested = Promise.resolve('');
    const seen = await under.read(second._id);
    const apply = async (operator: number, effect: Parameters<typeof under.apply>[1]) => {
      if (!effect.excluded) nested = under.decide(seen, 'exclude', { by: 2 });
      await nested;
      await under.apply(operator, effect);
    };
    await under.decide(await under.read(first._id), 'restore', { apply });
    expect(await nested).to.equal('decided');
    expect(under.board.get(5)).to.equal('exclude');
  });

  it('are about the case as the moderator saw it: not after an appeal or an answer that came meanwhile', async () => {
    const { cases } = under.accounts;
    const found = await under.openCase(5);
    await under.appeal(found._id, 'Many agents at once.');
    for (const action of ['void', 'exclude', 'restore'] as const) {
      expect(await under.decide(found, action)).to.equal('conflict');
    }
    const appealed = await under.read(found._id);
    expect(appealed).to.deep.include({ decisions: [], waiting: { kind: 'appeal', since: new Date(under.now) } });
    await cases.setAnswer(found._id, 'Many agents at once.');
    expect(await under.decide(appealed, 'void')).to.equal('conflict');
    expect(await under.decide(await under.read(found._id), 'void')).to.equal('decided');
  });

  it('that exclude and are undone leave the evidence public when it was to be', async () => {
    const { opened_at, public_at, _id } = await under.openCase(5);
    expect(public_at!.getTime() - opened_at.getTime()).to.equal(EVIDENCE_DELAY_MS);
    for (const action of ['restore', 'void'] as const) {
      await under.decide(await under.read(_id), 'exclude');
      expect((await under.read(_id)).public_at).to.deep.equal(new Date(under.now));
      await under.decide(await under.read(_id), action);
      expect((await under.read(_id)).public_at).to.deep.equal(public_at);
    }
    const reported = await under.openCase(5, REPORTED_RULE);
    await under.decide(reported, 'exclude');
    await under.decide(await under.read(reported._id), 'restore');
    expect((await under.read(reported._id)).public_at).to.equal(null);
  });

  it('show an answer only as the moderator saw it, and keep a hidden one hidden through changes', async () => {
    const { cases } = under.accounts;
    const { _id } = await under.openCase(5);
    await cases.setAnswer(_id, 'Many agents at once.');
    expect(await under.decide(await under.read(_id), 'hide_answer')).to.equal('decided');
    const seen = await under.read(_id);
    under.now += 1;
    await cases.setAnswer(_id, 'Something $else.');
    expect((await under.read(_id)).answer).to.include({ text: 'Something $else.', hidden: true });
    expect(await under.decide(seen, 'show_answer')).to.equal('conflict');
    await cases.setAnswer(_id, null);
    expect((await under.read(_id)).answer).to.include({ text: '', hidden: true });
    expect(await under.decide(await under.read(_id), 'show_answer')).to.equal('decided');
    await cases.setAnswer(_id, null);
    const last = await under.read(_id);
    expect(last.answer).to.equal(null);
    expect([await under.decide(last, 'hide_answer'), last.state]).to.deep.equal(['unknown', 'open']);
    expect(under.board.size).to.equal(0);
  });
});

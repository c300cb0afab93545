import { expect } from 'chai';
import { DAY_MS } from '../../../../../config/units.ts';
import { createAuditLog } from '../../../../../engine/accounts/audit-log.ts';
import { openModels } from '../../../../../engine/accounts/mongo/models.ts';
import { appealFrom, type Effect, seenOf } from '../../../../../engine/integrity/cases/index.ts';
import { START } from '../../../accounts/open-accounts.ts';
import { type CasesUnderTest, COUNTS, MEASURED, openCases } from './cases-under-test.ts';

const YIELD = '5/extraordinary-yield';
const INPUT = '5/no-input';

describe('appeals', () => {
  let under: CasesUnderTest;

  beforeEach(async () => {
    under = await openCases();
    for (const rule of ['extraordinary-yield', 'no-input', 'identical-series']) await under.openCase(5, rule);
    await under.decide(await under.read('5/identical-series'), 'void');
  });

  afterEach(() => under.close());

  const fromFor = async (counts: string) => appealFrom(await under.accounts.cases.ofOperator(5), counts);
  const queued = async () => (await under.accounts.cases.queue(1, 1, 9)).cases.map(({ _id }) => _id);
  const stateOf = async (id: string) => {
    const { state, decisions, waiting, pending } = await under.read(id);
    return { state, decided: decisions.length, waits: waiting?.kind, pending: pending !== undefined };
  };

  it('of an operator wait once, whichever case they are written at, also at the same moment', async () => {
    const other = (await under.another()).cases;
    const sent = await Promise.all([
      under.appeal(YIELD),
      other.appeal(await under.read(INPUT), 'Please look again.', COUNTS),
      under.appeal(YIELD, 'Twice.'),
    ]);
    expect(sent.filter(Boolean)).to.have.length(1);
    expect([await under.appeal(INPUT), await under.appeal(YIELD)]).to.deep.equal([false, false]);
    expect(await fromFor('others')).to.equal(null);
    expect((await queued()).filter((id) => id.startsWith('5/'))).to.have.length(2);
    await under.openCase(6);
    expect(await under.appeal('6/no-input'), 'of another operator').to.equal(true);
  });

  for (const action of ['void', 'exclude', 'restore'] as const) {
    it(`are decided once for all cases in effect: ${action}`, async () => {
      await under.appeal(INPUT);
      expect(await under.decide(await under.read(YIELD), action), 'at another case').to.equal('conflict');
      let applied = 0;
      const apply = async (...args: Parameters<typeof under.apply>) => {
        applied += 1;
        await under.apply(...args);
      };
      under.now += 1;
      expect(await under.decide(await under.read(INPUT), action, { apply })).to.equal('decided');
      const state = { void: 'void', exclude: 'confirmed', restore: 'open' }[action];
      for (const id of [YIELD, INPUT]) {
        expect(await stateOf(id)).to.deep.equal({ state, decided: 1, waits: undefined, pending: false });
      }
      const [one, two] = [(await under.read(YIELD)).decisions[0]!, (await under.read(INPUT)).decisions[0]!];
      expect([one.id, one.reason, one.counts]).to.deep.equal([two.id, two.reason, COUNTS]);
      const covered = action === 'void' ? ['extraordinary-yield'.length, 'no-input'.length] : [];
      expect([one, two].flatMap(({ covers }) => covers ?? [])).to.deep.equal(covered);
      expect([under.board.get(5), applied]).to.deep.equal([action === 'exclude' ? action : 'void', 1]);
      expect((await under.read('5/identical-series')).decisions, 'not in effect').to.have.length(1);
      const log = createAuditLog(openModels(under.connection), () => under.now);
      const about = (await log.list(5, 9)).filter(({ detail }) => detail['action'] === action);
      expect(about.map(({ detail }) => detail['rule'])).to.include('no-input, extraordinary-yield');
      expect((await log.list(1, 9)).filter(({ detail }) => detail['case'] === INPUT)).to.have.length(1);
      const { cases } = await under.accounts.cases.dueNotices(9);
      expect(cases.map(({ notify_since }) => notify_since?.getTime()).filter((at) => at === under.now)).to.have.length(
        2,
      );
    });
  }

  it('whose decision is interrupted are decided for all by maintenance', async () => {
    await under.appeal(INPUT);
    const crash = under.decide(await under.read(INPUT), 'void', {
      apply: async () => Promise.reject(new Error('stopped')),
    });
    expect(await crash.catch(String)).to.include('stopped');
    expect(await under.decide(await under.read(YIELD), 'exclude')).to.equal('conflict');
    await under.accounts.cases.settle(under.apply);
    for (const id of [YIELD, INPUT])
      expect(await stateOf(id)).to.include({ state: 'void', decided: 1, pending: false });
    expect(under.board.get(5)).to.equal('void');
  });

  it('are not decided for a case that the moderator did not see', async () => {
    await under.appeal(INPUT);
    const found = await under.read(INPUT);
    const seen = seenOf(found, await under.accounts.cases.ofOperator(5), MEASURED.covered);
    await under.openCase(5, 'output-beyond-response');
    const request = { id: INPUT, by: 1, action: 'void', reason: 'Fine.', counts: COUNTS, client: null } as const;
    expect(await under.accounts.cases.decide({ ...request, seen }, under.apply)).to.equal('conflict');
    expect(await stateOf(INPUT)).to.include({ decided: 0, waits: 'appeal' });
  });

  it('leave a case to another decision that came in between', async () => {
    await under.appeal(INPUT);
    const apply = async (...args: Parameters<typeof under.apply>) => {
      // As another process, which read the cases before the appeal.
      const at = new Date(under.now);
      const decision = { id: 'other', by: 2, at, action: 'exclude', reason: 'Checked.' } as const;
      const stored = under.connection.collection<{ _id: string; decisions: object[] }>('integrity_cases');
      if ((await under.read(YIELD)).decisions.length === 0) {
        await stored.updateOne({ _id: YIELD }, { $set: { state: 'confirmed' }, $push: { decisions: decision } });
      }
      await under.apply(...args);
    };
    await under.decide(await under.read(INPUT), 'void', { apply });
    expect(await stateOf(YIELD)).to.include({ state: 'confirmed', decided: 1 });
    expect([await stateOf(INPUT), under.board.get(5)]).to.deep.equal([
      { state: 'void', decided: 1, waits: undefined, pending: false },
      'exclude',
    ]);
  });

  it('that were decided rest for 30 days, or until the counts change', async () => {
    const decide = async (action: Effect) => under.decide(await under.read(YIELD), action);
    await decide('exclude');
    expect(await fromFor(COUNTS), 'a decision without an appeal').to.equal(0);
    expect(await under.appeal(YIELD)).to.equal(true);
    await decide('exclude');
    const again = START + 30 * DAY_MS;
    expect([await fromFor(COUNTS), await fromFor('1 2 3 5')]).to.deep.equal([again, 0]);
    expect(await under.appeal(YIELD)).to.equal(false);
    under.now = again - 1;
    expect(await under.appeal(INPUT)).to.equal(false);
    expect(await under.appeal(YIELD, 'I recounted.', '1 2 3 5'), 'after other counts').to.equal(true);
    await decide('restore');
    under.now = again + 30 * DAY_MS;
    expect(await under.appeal(INPUT), 'after 30 days').to.equal(true);
    await decide('exclude').then((outcome) => expect(outcome).to.equal('conflict'));
    await under.decide(await under.read(INPUT), 'restore');
    await under.openCase(5, 'output-beyond-response');
    expect(await fromFor(COUNTS), 'a new finding').to.equal(0);
    for (const id of [YIELD, INPUT, '5/output-beyond-response']) await under.decide(await under.read(id), 'void');
    expect(await fromFor('others'), 'nothing in effect').to.equal(null);
  });
});

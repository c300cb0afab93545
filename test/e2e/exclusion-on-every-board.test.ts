import { expect } from 'chai';
import { exportAsJson } from '../../api/premium/reports/export.ts';
import { BoardExport, LeaderboardResponse, OperatorProfile, WINDOWS } from '../../engine/contract/index.ts';
import { FIRST_METHODOLOGY } from '../../engine/ranking/methodologies/index.ts';
import { entriesOn } from '../support/board-entries.ts';
import { rethrow } from '../support/rethrow.ts';
import { openTestApi, type TestOperator } from '../support/test-api.ts';
import { useFixture } from '../support/use-fixture.ts';

const COUNTS = { input: 50_000, output: 600_000, cache_read: 500, cache_write: 3_000_000 };
/** More output than the input of all streams allows. */
const WITHOUT_INPUT = { ...COUNTS, input: 0, output: 2e10, platform: 'claude-code' };
const CLEARED = ['no-input', 'output-beyond-response'].map((rule) => ({ rule, covers: [1e12] }));
const WHO = 'quiet-lantern';

describe('an operator that leaves the boards', () => {
  const test = useFixture(() => openTestApi({ methodology: FIRST_METHODOLOGY }));
  const reader = useFixture(() => test().ranking.openBoardReader(rethrow));
  let subject: TestOperator;

  before(async () => {
    for (const [index, codename] of ['amber-anchor', WHO, 'brisk-beacon'].entries()) {
      const operator = await test().operator(codename);
      const counts = { ...COUNTS, output: COUNTS.output * (index + 1), platform: 'claude-code' };
      await test().post('/api/v1/snapshots', operator.token, test().snapshot(operator, counts));
      if (codename === WHO) subject = operator;
    }
    await test().publish();
    await reader().refresh();
  });

  /** Where the operator is on the board, and the version. */
  async function places(): Promise<{ version: number; found: string[] }> {
    await test().publish();
    await reader().refresh();
    const found: string[] = [];
    const { status, json } = await test().get(`/api/v1/operators/${WHO}`);
    const profile = status === 200 ? OperatorProfile.parse(json) : null;
    for (const window of WINDOWS) {
      const { entries } = LeaderboardResponse.parse((await test().get(`/api/v1/leaderboard?window=${window}`)).json);
      const exported = await reader().withBoardView(async (board) => {
        let text = '';
        for await (const part of exportAsJson(board, window)) text += part;
        return BoardExport.parse(JSON.parse(text));
      });
      const near = await reader().neighbours('amber-anchor', window, 5);
      const lists = { top: entries!, slice: await entriesOn(reader(), window, 0, 10), export: exported.entries, near };
      for (const [name, rows] of Object.entries(lists)) {
        if (rows.some(({ codename }) => codename === WHO)) found.push(`${name} ${window}`);
      }
      if (profile !== null && profile.windows![window].rank !== null) found.push(`profile ${window}`);
      const total = reader().view().totals[window];
      expect(total, `total of ${window}`).to.equal(exported.entries.length);
    }
    return { version: reader().view().version, found };
  }

  const EVERYWHERE = WINDOWS.flatMap((window) =>
    ['top', 'slice', 'export', 'near', 'profile'].map((name) => `${name} ${window}`),
  );

  /** Takes a step, and expects its effect in the next version. */
  async function expectNext(step: () => Promise<unknown>, found: readonly string[]): Promise<void> {
    const { version } = await places();
    await step();
    expect(await places()).to.deep.equal({ version: version + 1, found });
  }

  const review = (excluded: boolean, cleared: typeof CLEARED = []) =>
    test().ranking.operators.applyReview(subject.operator, { excluded, cleared });

  it('by a review, is gone from all of them in the next version, and comes back', async () => {
    expect((await places()).found).to.deep.equal(EVERYWHERE);
    await expectNext(() => review(true), []);
    const { windows } = OperatorProfile.parse((await test().get(`/api/v1/operators/${WHO}`)).json);
    for (const window of WINDOWS) {
      expect(windows![window]).to.deep.include({ rank: null, unranked: 'excluded' });
      expect(windows![window].integrity?.flags).to.include('review');
    }
    await expectNext(() => review(false), EVERYWHERE);
  });

  it('by a suspension, is gone from all of them in the next version, and comes back', async () => {
    await expectNext(() => test().ranking.operators.amend(subject.operator, { suspended: true }), []);
    await expectNext(() => test().ranking.operators.amend(subject.operator, { suspended: false }), EVERYWHERE);
  });

  it('by a rule, is gone with the snapshot, and comes back when a review waives the rule', async () => {
    const snapshot = test().snapshot(subject, WITHOUT_INPUT, { stream: 'other-ledger' });
    const submit = () => test().post('/api/v1/snapshots', subject.token, snapshot);
    await expectNext(async () => {
      expect((await submit()).json).to.deep.include({ accepted: true, changed: true, rank: null });
    }, []);
    expect((await submit()).json, 'repeated').to.deep.include({ accepted: true, rank: null });
    const { windows } = OperatorProfile.parse((await test().get(`/api/v1/operators/${WHO}`)).json);
    for (const window of WINDOWS) expect(windows![window].integrity?.flags).to.include('no-input');
    await expectNext(() => review(false, CLEARED), EVERYWHERE);
    expect((await submit()).json, 'after the review')
      .to.have.property('rank')
      .that.is.a('number');
    await expectNext(() => review(false), []);
    await expectNext(() => review(false, CLEARED), EVERYWHERE);
  });

  it('by its erasure, is gone from all of them in the next version', () =>
    expectNext(() => test().ranking.operators.erase(subject.operator), []));
});

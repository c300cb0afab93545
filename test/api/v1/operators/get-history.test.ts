import { expect } from 'chai';
import { openTestApi } from '../../../support/test-api.ts';
import { useFixture } from '../../../support/use-fixture.ts';
import { listAt, member } from '../../conformance.ts';

describe("api: an operator's history", () => {
  const test = useFixture(openTestApi);

  before(async () => {
    const operator = await test().operator('time-traveller');
    await test().post('/api/v1/snapshots', operator.token, test().snapshot(operator));
    await test().publish();
  });

  it('ends with the current board', async () => {
    const { status, json } = await test().get('/api/v1/operators/Time-Traveller/history?window=7d');
    expect(status).to.equal(200);
    expect(json).to.include({ codename: 'time-traveller', window: '7d' });
    expect(listAt(json, 'points').at(-1)).to.include({ rank: 1, yield_: 60, methodology: 1 });
  });

  it('is that of all time unless a window is asked for', async () => {
    const { json } = await test().get('/api/v1/operators/time-traveller/history');
    expect(json).to.include({ window: 'all_time' });
  });

  it('has changes against the boards of a day and of a week ago, with their moments', async () => {
    const places = { before: { methodology: 1, rank: 2, yield_: 3 }, after: { methodology: 2, rank: 1, yield_: 4 } };
    const change = { rank_then: 2, rank_now: 1, change: 1, own: 1, field: 0, method: 0 };
    await using changed = await openTestApi({
      context: ({ board }) => ({
        board: {
          ...board,
          history: async (codename, window) => ({
            codename,
            window,
            board_version: 1,
            points: [],
            switches: [{ at: 3_000, ...places }],
            changes: { '24h': { ...change, since: 2_000 }, '7d': { ...change, since: 1_000 } },
          }),
        },
      }),
    });
    const { json } = await changed.get('/api/v1/operators/time-traveller/history');
    expect(member(json, 'changes', '24h', 'since')).to.equal('1970-01-01T00:00:02.000Z');
    expect(member(json, 'changes', '7d', 'since')).to.equal('1970-01-01T00:00:01.000Z');
    expect(listAt(json, 'switches')).to.deep.equal([{ at: '1970-01-01T00:00:03.000Z', ...places }]);
  });

  it('has the change since a moment that is asked for, and the page', async () => {
    const { json } = await test().get('/api/v1/operators/Time-Traveller/history?since=1970-01-01T00:00:00.000Z');
    expect(member(json, 'changes', 'since')).to.equal(null);
    expect(json?.['page']).to.match(/^https?:.*\/operators\/time-traveller$/);
    const never = await test().get('/api/v1/operators/time-traveller/history?since=yesterday');
    expect([never.status, never.json?.['code']]).to.deep.equal([400, 'validation_failed']);
  });

  it('refuses windows and operators that do not exist', async () => {
    const window = await test().get('/api/v1/operators/time-traveller/history?window=1d');
    expect([window.status, window.json?.['code']]).to.deep.equal([400, 'window_invalid']);
    const nobody = await test().get('/api/v1/operators/nobody/history');
    expect([nobody.status, nobody.json?.['code']]).to.deep.equal([404, 'operator_unknown']);
  });

  it('answers 500 when the stores do not', async () => {
    await using broken = await openTestApi({
      context: ({ board }) => ({ board: { ...board, history: () => Promise.reject(new Error('gone')) } }),
    });
    const { status, json } = await broken.get('/api/v1/operators/time-traveller/history');
    expect([status, json?.['code']]).to.deep.equal([500, 'storage_unavailable']);
  });
});

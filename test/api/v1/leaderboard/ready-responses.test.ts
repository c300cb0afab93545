import { expect } from 'chai';
import { createReadyResponses } from '../../../../api/v1/leaderboard/ready-responses.ts';
import { byWindow } from '../../../../engine/contract/index.ts';
import type { BoardEntry, BoardOverview, BoardReader } from '../../../../engine/ranking/index.ts';

const OVERVIEW: BoardOverview = {
  version: 3,
  methodology: 1,
  generatedAt: 0,
  hourBeganAt: 0,
  totals: { ...byWindow(() => 0), all_time: 4, '7d': 1 },
  topEntries: byWindow(() => []),
};

const ENTRY: BoardEntry = {
  codename: '',
  display_name: null,
  rank: 1,
  percentile: 100,
  platform: 'editor',
  class_tier: 'IGNITER',
  yield_: 4,
  leverage: 2,
  velocity: 2,
  movement_24h: null,
  movement_7d: null,
};

describe('ready answers of the leaderboard', () => {
  it('have the entries of their window, up to the limit', () => {
    const [first, second] = ['first-one', 'second-one'].map((codename) => ({ ...ENTRY, codename }));
    if (first === undefined || second === undefined) throw new Error('no entries');
    const topEntries = { ...OVERVIEW.topEntries, all_time: [first, second], '7d': [second] };
    const answers = createReadyResponses({ view: () => ({ ...OVERVIEW, topEntries }), onView: () => () => {} });
    const listed = (window: '7d' | 'all_time', limit: number): unknown =>
      JSON.parse(answers.answer(window, limit).identity.toString('utf8')).entries;
    expect(listed('all_time', 2)).to.deep.equal([first, second]);
    expect(listed('all_time', 1)).to.deep.equal([first]);
    expect(listed('7d', 2)).to.deep.equal([second]);
  });

  it('count the operators of their window, on the newest board', () => {
    const listeners: Parameters<BoardReader['onView']>[0][] = [];
    const answers = createReadyResponses({
      view: () => OVERVIEW,
      onView: (listener) => {
        listeners.push(listener);
        return () => {};
      },
    });
    const total = (window: '7d' | 'all_time'): unknown => {
      const { identity } = answers.answer(window, 10);
      return JSON.parse(identity.toString('utf8')).total_operators;
    };
    expect([total('all_time'), total('7d')]).to.deep.equal([4, 1]);
    for (const show of listeners) show({ ...OVERVIEW, version: 4, totals: { ...OVERVIEW.totals, '7d': 2 } });
    expect([answers.version(), total('all_time'), total('7d')]).to.deep.equal([4, 4, 2]);
    expect(answers.answer('7d', 100), 'beyond what the board holds').to.equal(answers.answer('7d', 10));
  });
});

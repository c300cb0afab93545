import { expect } from 'chai';
import { createReadyAnswers } from '../../../../api/v1/leaderboard/ready-answers.ts';
import type { BoardOverview, BoardReader } from '../../../../engine/ranking/index.ts';

const OVERVIEW: BoardOverview = {
  version: 3,
  methodology: 1,
  generatedAt: 0,
  hourBeganAt: 0,
  totals: { all_time: 4, '90d': 3, '30d': 2, '7d': 1 },
  topEntries: { all_time: [], '90d': [], '30d': [], '7d': [] },
};

describe('ready answers of the leaderboard', () => {
  it('count the operators of their window, on the newest board', () => {
    const listeners: Parameters<BoardReader['onView']>[0][] = [];
    const answers = createReadyAnswers({
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

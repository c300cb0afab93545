import { expect } from 'chai';
import { createGroupPace, type GroupPace } from '../../../api/v1/snapshots/group-pace.ts';
import type { GroupVerdict } from '../../../engine/ranking/index.ts';

async function isAtOnce(turn: Promise<void>): Promise<boolean> {
  return Promise.race([turn.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
}

describe('the pace of groups', () => {
  let judged: Map<string, (verdict: GroupVerdict | null) => void>;
  let pace: GroupPace;

  beforeEach(() => {
    judged = new Map();
    pace = createGroupPace((group) => new Promise((resolve) => judged.set(group, resolve)));
  });

  it('lets a group go at once while the workers have little before them', async () => {
    expect(await isAtOnce(pace.turn())).to.equal(true);
    pace.began('one');
    expect(await isAtOnce(pace.turn())).to.equal(true);
  });

  it('gathers while they have enough, until one of theirs is done', async () => {
    pace.began('one');
    pace.began('two');
    const turn = pace.turn();
    expect(await isAtOnce(turn)).to.equal(false);
    judged.get('one')?.(null);
    await turn;
    expect(await isAtOnce(pace.turn())).to.equal(true);
  });

  it('gathers for a moment only when nothing is done', async () => {
    pace.began('one');
    pace.began('two');
    await pace.turn();
    expect(await isAtOnce(pace.turn())).to.equal(false);
  });

  it('takes a group whose verdict cannot be waited for as done', async () => {
    pace = createGroupPace(() => Promise.reject(new Error('out of reach')));
    pace.began('one');
    pace.began('two');
    await new Promise(setImmediate);
    expect(await isAtOnce(pace.turn())).to.equal(true);
  });
});

import { expect } from 'chai';
import { shareTurns } from '../../../engine/billing/subscriptions/share-turns.ts';

describe('shared turns', () => {
  it('answer nobody with what was found before he asked', async () => {
    let truth = 0;
    let runs = 0;
    const ask = shareTurns(async (_key: string) => {
      runs += 1;
      const found = truth;
      await new Promise(setImmediate);
      return found;
    });
    const first = ask('one');
    await Promise.resolve();
    await Promise.resolve();
    truth = 1;
    const others = await Promise.all([ask('one'), ask('one'), ask('one')]);
    expect(await first).to.equal(0);
    expect(others).to.deep.equal([1, 1, 1]);
    expect(runs).to.equal(2);
  });

  it('go on after one that failed, and do not wait for other keys', async () => {
    const ask = shareTurns(async (key: string) => {
      if (key === 'bad') throw new Error('no');
      return key;
    });
    const failed = await Promise.allSettled([ask('bad'), ask('good'), ask('bad')]);
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled', 'rejected']);
    expect(await ask('good')).to.equal('good');
  });
});

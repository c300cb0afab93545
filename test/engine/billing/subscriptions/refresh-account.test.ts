import { expect } from 'chai';
import { shareNextRun } from '../../../../engine/billing/subscriptions/refresh-account.ts';

describe('shareNextRun', () => {
  it('returns no result of a run that began before the call', async () => {
    let truth = 0;
    let runs = 0;
    const run = shareNextRun(async (_key: string) => {
      runs += 1;
      const found = truth;
      await new Promise(setImmediate);
      return found;
    });
    const first = run('one');
    await Promise.resolve();
    await Promise.resolve();
    truth = 1;
    const others = await Promise.all([run('one'), run('one'), run('one')]);
    expect(await first).to.equal(0);
    expect(others).to.deep.equal([1, 1, 1]);
    expect(runs).to.equal(2);
  });

  it('continues after a failed run, and does not wait for other keys', async () => {
    const run = shareNextRun(async (key: string) => {
      if (key === 'bad') throw new Error('no');
      return key;
    });
    const failed = await Promise.allSettled([run('bad'), run('good'), run('bad')]);
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'fulfilled', 'rejected']);
    expect(await run('good')).to.equal('good');
  });
});

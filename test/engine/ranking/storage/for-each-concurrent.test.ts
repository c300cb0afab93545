import { expect } from 'chai';
import { forEachConcurrent } from '../../../../engine/ranking/storage/for-each-concurrent.ts';

function* upTo(count: number, taken: number[]): Generator<number> {
  for (let item = 0; item < count; item++) {
    taken.push(item);
    yield item;
  }
}

describe('forEachConcurrent', () => {
  it('processes every item once, within the concurrency limit', async () => {
    const [taken, done]: [number[], number[]] = [[], []];
    let [underWay, most] = [0, 0];
    await forEachConcurrent(upTo(20, taken), 3, async (item) => {
      most = Math.max(most, ++underWay);
      await new Promise(setImmediate);
      underWay--;
      done.push(item);
    });
    expect(done.toSorted((a, b) => a - b)).to.deep.equal(taken);
    expect(taken).to.have.length(20);
    expect(most).to.equal(3);
  });

  it('takes no further item after a failure, and rejects with it', async () => {
    const taken: number[] = [];
    const failure = new Error('the fourth');
    const work = async (item: number): Promise<void> => {
      await new Promise(setImmediate);
      if (item === 3) throw failure;
    };
    const found = await forEachConcurrent(upTo(1_000, taken), 2, work).then(
      () => null,
      (error: unknown) => error,
    );
    expect(found).to.equal(failure);
    await new Promise(setImmediate);
    expect(taken.length).to.be.within(4, 6);
  });
});

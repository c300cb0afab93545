import { expect } from 'chai';
import { createLinger, type Linger } from '../../../../api/v1/snapshots/linger.ts';
import type { BatchVerdict } from '../../../../engine/ranking/index.ts';

async function isAtOnce(turn: Promise<void>): Promise<boolean> {
  return Promise.race([turn.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
}

describe('the pace of groups', () => {
  let now: number;
  let processed: Map<string, (verdict: BatchVerdict | null) => void>;
  let pace: Linger;

  beforeEach(() => {
    now = 0;
    processed = new Map();
    pace = createLinger(
      (batch) => new Promise((resolve) => processed.set(batch, resolve)),
      () => now,
    );
  });

  async function takes(batch: string, ms: number): Promise<void> {
    pace.began(batch);
    now += ms;
    processed.get(batch)?.(null);
    await new Promise(setImmediate);
  }

  it('lets a group go at once while nothing is before the workers', async () => {
    expect(await isAtOnce(pace.turn())).to.equal(true);
    await takes('one', 100);
    expect(await isAtOnce(pace.turn())).to.equal(true);
  });

  it('knows no usual time before a group was judged, and gathers for none', async () => {
    pace.began('one');
    expect(await isAtOnce(pace.turn())).to.equal(true);
  });

  it('gathers behind one group for a share of the time that groups take', async () => {
    for (let batch = 0; batch < 40; batch++) await takes(String(batch), 100);
    pace.began('slow');
    expect(await isAtOnce(pace.turn())).to.equal(false);
    now += 31;
    expect(await isAtOnce(pace.turn())).to.equal(true);
  });

  it('gathers while they have enough, until one of theirs is done', async () => {
    pace.began('one');
    pace.began('two');
    const turn = pace.turn();
    expect(await isAtOnce(turn)).to.equal(false);
    processed.get('one')?.(null);
    await new Promise(setImmediate);
    expect(await isAtOnce(turn)).to.equal(true);
    expect(await isAtOnce(pace.turn())).to.equal(true);
  });

  it('gathers for a moment only when nothing is done', async () => {
    pace.began('one');
    pace.began('two');
    await pace.turn();
    expect(await isAtOnce(pace.turn())).to.equal(false);
  });

  it('takes a group whose verdict cannot be waited for as done', async () => {
    pace = createLinger(() => Promise.reject(new Error('out of reach')));
    pace.began('one');
    pace.began('two');
    await new Promise(setImmediate);
    expect(await isAtOnce(pace.turn())).to.equal(true);
  });
});

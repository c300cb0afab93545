import { expect } from 'chai';
import { createLinger, type Linger } from '../../../../api/v1/snapshots/linger.ts';
import { MINUTE_MS } from '../../../../config/units.ts';
import type { BatchVerdict } from '../../../../engine/ranking/index.ts';

async function isImmediate(wait: Promise<void>): Promise<boolean> {
  return Promise.race([wait.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
}

describe('the linger of batches', () => {
  let now: number;
  let processed: Map<string, (verdict: BatchVerdict | null) => void>;
  let linger: Linger;

  beforeEach(() => {
    now = 0;
    processed = new Map();
    linger = createLinger(
      (batch) => new Promise((resolve) => processed.set(batch, resolve)),
      () => now,
    );
  });

  async function takes(batch: string, ms: number): Promise<void> {
    linger.started(batch);
    now += ms;
    processed.get(batch)?.(null);
    await new Promise(setImmediate);
  }

  it('is zero while no batch is in progress', async () => {
    expect(await isImmediate(linger.wait())).to.equal(true);
    for (const [batch, ms] of [
      ['one', 100],
      ['two', 0],
    ] as const) {
      await takes(batch, ms);
      expect(await isImmediate(linger.wait()), batch).to.equal(true);
    }
  });

  it('is zero behind the first batch, before an average time is known', async () => {
    linger.started('one');
    expect(await isImmediate(linger.wait())).to.equal(true);
  });

  it('is a share of the average batch time behind one batch', async () => {
    for (let batch = 0; batch < 40; batch++) await takes(String(batch), 100);
    await takes('quick', 0);
    linger.started('slow');
    now += 60;
    expect(await isImmediate(linger.wait())).to.equal(false);
    now += 21;
    expect(await isImmediate(linger.wait())).to.equal(true);
  });

  it('has the same upper limit behind one batch, however long batches take', async () => {
    for (let batch = 0; batch < 20; batch++) await takes(String(batch), 10 * MINUTE_MS);
    linger.started('slow');
    await linger.wait();
  });

  it('lasts behind several batches until one completes', async () => {
    linger.started('one');
    linger.started('two');
    const turn = linger.wait();
    expect(await isImmediate(turn)).to.equal(false);
    processed.get('one')?.(null);
    await new Promise(setImmediate);
    expect(await isImmediate(turn)).to.equal(true);
    expect(await isImmediate(linger.wait())).to.equal(true);
  });

  it('can be ended', async () => {
    linger.end();
    linger.started('one');
    linger.started('two');
    const turn = linger.wait();
    linger.end();
    expect(await isImmediate(turn)).to.equal(true);
  });

  it('has an upper limit when no batch completes', async () => {
    linger.started('one');
    linger.started('two');
    await linger.wait();
    expect(await isImmediate(linger.wait())).to.equal(false);
  });

  it('counts a batch as completed when waiting for its verdict fails', async () => {
    linger = createLinger(() => Promise.reject(new Error('out of reach')));
    linger.started('one');
    linger.started('two');
    await new Promise(setImmediate);
    expect(await isImmediate(linger.wait())).to.equal(true);
  });
});

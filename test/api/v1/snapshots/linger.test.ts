import { expect } from 'chai';
import { createLinger, type Linger } from '../../../../api/v1/snapshots/linger.ts';
import type { BatchVerdict } from '../../../../engine/ranking/index.ts';

async function isImmediate(wait: Promise<void>): Promise<boolean> {
  return Promise.race([wait.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
}

describe('the linger of batches', () => {
  let processed: Map<string, (verdict: BatchVerdict | null) => void>;
  let linger: Linger;

  beforeEach(() => {
    processed = new Map();
    linger = createLinger((batch) => new Promise((resolve) => processed.set(batch, resolve)));
  });

  async function complete(batch: string): Promise<void> {
    processed.get(batch)?.(null);
    await new Promise(setImmediate);
  }

  it('is zero while no batch is in progress', async () => {
    expect(await isImmediate(linger.wait())).to.equal(true);
    linger.started('one');
    await complete('one');
    expect(await isImmediate(linger.wait())).to.equal(true);
  });

  it('lasts behind one batch until it completes', async () => {
    linger.started('one');
    const turn = linger.wait();
    expect(await isImmediate(turn)).to.equal(false);
    await complete('one');
    expect(await isImmediate(turn)).to.equal(true);
  });

  it('lasts behind several batches until one completes', async () => {
    linger.started('one');
    linger.started('two');
    const turn = linger.wait();
    expect(await isImmediate(turn)).to.equal(false);
    await complete('one');
    expect(await isImmediate(turn)).to.equal(true);
    expect(await isImmediate(linger.wait())).to.equal(false);
  });

  it('has an upper limit when no batch completes', async () => {
    linger.started('one');
    await linger.wait();
    expect(await isImmediate(linger.wait())).to.equal(false);
  });

  it('counts a batch as completed when waiting for its verdict fails', async () => {
    linger = createLinger(() => Promise.reject(new Error('out of reach')));
    linger.started('one');
    await new Promise(setImmediate);
    expect(await isImmediate(linger.wait())).to.equal(true);
  });
});

import { expect } from 'chai';
import { coalesce } from '../../../engine/mongo/index.ts';

describe('coalesce', () => {
  it('loads concurrent keys together, each key once, and resolves each caller', async () => {
    const asked: string[][] = [];
    const lookUp = coalesce(async (keys: readonly string[]) => {
      asked.push([...keys]);
      return new Map(keys.filter((key) => key !== 'missing').map((key) => [key, key.toUpperCase()]));
    });
    const answers = await Promise.all(['one', 'two', 'one', 'missing'].map(lookUp));
    expect(answers).to.deep.equal(['ONE', 'TWO', 'ONE', null]);
    expect(asked).to.deep.equal([['one', 'two', 'missing']]);
  });

  it('never returns a value from a load that began before the call', async () => {
    let stored = 'former';
    const begun: (() => void)[] = [];
    const lookUp = coalesce(async (keys: readonly string[]) => {
      const value = stored;
      await new Promise<void>((resolve) => begun.push(resolve));
      return new Map(keys.map((key) => [key, value]));
    });
    const before = lookUp('key');
    await new Promise(setImmediate);
    expect(begun).to.have.lengthOf(1);
    stored = 'newer';
    const after = lookUp('key');
    begun[0]?.();
    expect(await before).to.equal('former');
    await new Promise(setImmediate);
    begun[1]?.();
    expect(await after).to.equal('newer');
  });

  it('rejects every caller of a failed load, and continues with the next', async () => {
    let fails = true;
    const lookUp = coalesce(async (keys: readonly number[]) => {
      if (fails) throw new Error('no primary');
      return new Map(keys.map((key) => [key, key]));
    });
    const failed = await Promise.allSettled([lookUp(1), lookUp(2)]);
    expect(failed.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    fails = false;
    expect(await lookUp(1)).to.equal(1);
  });

  it('splits more keys than one load takes', async () => {
    const sizes: number[] = [];
    const lookUp = coalesce(async (keys: readonly number[]) => {
      sizes.push(keys.length);
      return new Map(keys.map((key) => [key, key]));
    });
    const keys = Array.from({ length: 2_500 }, (_, index) => index);
    expect(await Promise.all(keys.map(lookUp))).to.deep.equal(keys);
    expect(sizes).to.deep.equal([1_000, 1_000, 500]);
  });
});

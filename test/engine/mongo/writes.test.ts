import { expect } from 'chai';
import { mongo } from 'mongoose';
import { DUPLICATE_KEY, insertUnlessTaken } from '../../../engine/mongo/index.ts';

const failsWith = (code: number) => (): Promise<never> =>
  Promise.reject(new mongo.MongoServerError({ message: 'refused', code }));

describe('insertUnlessTaken', () => {
  it('returns whether the document was inserted, and false only when a unique index has its key', async () => {
    expect(await insertUnlessTaken(() => Promise.resolve())).to.equal(true);
    expect(await insertUnlessTaken(failsWith(DUPLICATE_KEY))).to.equal(false);
  });

  it('throws every other refusal of the server, after which nothing is stored', async () => {
    for (const code of [91, 121, 11_600, 13_388]) {
      const thrown = await insertUnlessTaken(failsWith(code)).catch((error: unknown) => error);
      expect(thrown).to.be.instanceOf(mongo.MongoServerError).with.property('code', code);
    }
  });
});

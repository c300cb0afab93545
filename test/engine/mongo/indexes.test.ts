import { expect } from 'chai';
import { Schema } from 'mongoose';
import { ensureIndexes } from '../../../engine/mongo/index.ts';
import { useConnection } from '../../support/engines.ts';

describe('indexes', () => {
  const connection = useConnection();

  const slots = { key: { owner: 1, slot: 1 }, unique: true, partialFilterExpression: { slot: { $type: 'number' } } };

  it('are created once, and accepted as an earlier version created them', async () => {
    const schema = new Schema({ owner: Number, slot: Number, until: Date })
      .index({ owner: 1, slot: 1 }, { unique: true, partialFilterExpression: { slot: { $type: 'number' } } })
      .index({ until: 1 }, { sparse: true });
    await connection().model('things', schema, 'things').createIndexes();
    for (let times = 0; times < 2; times += 1) {
      await ensureIndexes(connection(), { things: [slots, { key: { until: 1 }, sparse: true }], others: [slots] });
    }
    const stored = connection().collection('things');
    expect((await stored.indexes()).map(({ name }) => name)).to.have.members(['_id_', 'owner_1_slot_1', 'until_1']);
    const indexes = await connection().collection('others').indexes();
    expect(indexes[1]).to.deep.include({ name: 'owner_1_slot_1', ...slots });
  });
});

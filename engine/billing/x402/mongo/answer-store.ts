import { mongo } from 'mongoose';
import { DURABLE } from '../../../mongo/index.ts';
import type { AnswerDocument, PurchaseCollections } from './collections.ts';

export type AnswerStore = ReturnType<typeof createAnswerStore>;

/** Answers in pieces, because they may exceed the size limit of a document. */
export function createAnswerStore({ answers, pieces }: Pick<PurchaseCollections, 'answers' | 'pieces'>) {
  return {
    async writePiece(answer: string, index: number, bytes: Buffer, madeAt: Date): Promise<void> {
      await pieces.insertOne({ _id: `${answer}/${index}`, made_at: madeAt, bytes: new mongo.Binary(bytes) });
    },

    /** Inserts an answer after its pieces. Durable, because a payment will refer to it. */
    async insert(answer: AnswerDocument): Promise<void> {
      await answers.insertOne(answer, DURABLE);
    },

    find: (id: string): Promise<AnswerDocument | null> => answers.findOne({ _id: id }),

    /** The newest answer of a key created since a time. */
    newest: (key: string, since: Date): Promise<AnswerDocument | null> =>
      answers.findOne({ key, made_at: { $gte: since } }, { sort: { made_at: -1 } }),

    async readPiece(answer: string, index: number): Promise<Buffer> {
      const found = await pieces.findOne({ _id: `${answer}/${index}` });
      if (found === null) throw new Error(`piece ${index} of answer ${answer} is missing`);
      return Buffer.from(found.bytes.buffer);
    },

    /** Deletes answers created before a time, except those in use. */
    async deleteOld(before: Date, inUse: readonly string[]): Promise<void> {
      const old = { made_at: { $lt: before } };
      await answers.deleteMany({ ...old, _id: { $nin: [...inUse] } });
      const kept = new Set(inUse);
      const stale = await pieces.find(old, { projection: { _id: 1 } }).toArray();
      const unused = stale.map(({ _id }) => _id).filter((id) => !kept.has(id.slice(0, id.lastIndexOf('/'))));
      for (let from = 0; from < unused.length; from += DELETE_BATCH_SIZE) {
        await pieces.deleteMany({ _id: { $in: unused.slice(from, from + DELETE_BATCH_SIZE) } });
      }
    },
  };
}

const DELETE_BATCH_SIZE = 1_000;

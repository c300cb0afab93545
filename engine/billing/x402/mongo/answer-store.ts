import { mongo } from 'mongoose';
import { DURABLE } from '../../../mongo/index.ts';
import type { AnswerDocument, PurchaseCollections } from './collections.ts';

export type AnswerStore = ReturnType<typeof createAnswerStore>;

/** Answers in pieces: they may be larger than a document. */
export function createAnswerStore({ answers, pieces }: Pick<PurchaseCollections, 'answers' | 'pieces'>) {
  return {
    async writePiece(answer: string, index: number, bytes: Buffer, madeAt: Date): Promise<void> {
      await pieces.insertOne({ _id: `${answer}/${index}`, made_at: madeAt, bytes: new mongo.Binary(bytes) });
    },

    /** Makes an answer whose pieces are written: durable, for a payment will lead to it. */
    async insert(answer: AnswerDocument): Promise<void> {
      await answers.insertOne(answer, DURABLE);
    },

    find: (id: string): Promise<AnswerDocument | null> => answers.findOne({ _id: id }),

    /** The newest answer of a key made since then. */
    newest: (key: string, since: Date): Promise<AnswerDocument | null> =>
      answers.findOne({ key, made_at: { $gte: since } }, { sort: { made_at: -1 } }),

    async readPiece(answer: string, index: number): Promise<Buffer> {
      const found = await pieces.findOne({ _id: `${answer}/${index}` });
      if (found === null) throw new Error(`piece ${index} of answer ${answer} is gone`);
      return Buffer.from(found.bytes.buffer);
    },

    /** Forgets answers made before then, but those in use. */
    async sweep(before: Date, inUse: readonly string[]): Promise<void> {
      const old = { made_at: { $lt: before } };
      await answers.deleteMany({ ...old, _id: { $nin: [...inUse] } });
      const kept = new Set(inUse);
      const stale = await pieces.find(old, { projection: { _id: 1 } }).toArray();
      const gone = stale.map(({ _id }) => _id).filter((id) => !kept.has(id.slice(0, id.lastIndexOf('/'))));
      for (let from = 0; from < gone.length; from += DELETED_AT_ONCE) {
        await pieces.deleteMany({ _id: { $in: gone.slice(from, from + DELETED_AT_ONCE) } });
      }
    },
  };
}

const DELETED_AT_ONCE = 1_000;

import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { mongo } from 'mongoose';
import type { PurchaseModels } from './models.ts';

export interface NewAnswer {
  readonly key: string;
  readonly mediaType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, in parts of any size. */
  readonly parts: Iterable<string> | AsyncIterable<string>;
}

const ID_BYTES = 16;

/** Size of one stored piece of an answer. */
const ANSWER_PIECE_BYTES = 1024 * 1024;
const DELETE_BATCH_SIZE = 1_000;

export type Answers = ReturnType<typeof createAnswers>;

/** Stored responses of purchases: immutable, compressed, of any size, in pieces that fit a document. */
export function createAnswers({ answers, pieces }: Pick<PurchaseModels, 'answers' | 'pieces'>, clock: () => number) {
  async function readPiece(answer: string, index: number): Promise<Buffer> {
    const found = await pieces.findOne({ _id: `${answer}/${index}` }).lean();
    if (found === null) throw new Error(`piece ${index} of answer ${answer} is missing`);
    return Buffer.from(found.bytes.buffer);
  }

  return {
    /** Id of the newest answer of a key created since a time (milliseconds since the epoch); null without one. */
    async newest(key: string, since: number): Promise<string | null> {
      const found = await answers
        .findOne({ key, made_at: { $gte: new Date(since) } })
        .lean()
        .sort({ made_at: -1 })
        .lean();
      return found?._id ?? null;
    },

    /** Stores an answer while it is generated; returns its id. */
    async store({ key, mediaType, headers, parts }: NewAnswer): Promise<string> {
      const _id = randomBytes(ID_BYTES).toString('base64url');
      const made_at = new Date(clock());
      let count = 0;
      let bytes = 0;
      for await (const piece of piecesOf(parts)) {
        await pieces.insertOne({ _id: `${_id}/${count}`, made_at, bytes: new mongo.Binary(piece) });
        count += 1;
        bytes += piece.length;
      }
      const answer = { _id, key, made_at, media_type: mediaType, headers: { ...headers }, pieces: count, bytes };
      // Inserted after its pieces, because a payment will refer to it.
      await answers.insertOne(answer);
      return _id;
    },

    /** Null for an unknown answer. `bytes` is the size of its body, compressed with gzip; each piece is read on demand. */
    async open(id: string) {
      const found = await answers.findOne({ _id: id }).lean();
      if (found === null) return null;
      const { media_type: mediaType, headers, bytes, pieces: count } = found;
      async function* body(): AsyncIterable<Buffer> {
        for (let index = 0; index < count; index += 1) yield await readPiece(id, index);
      }
      return { mediaType, headers, bytes, body };
    },

    /** Deletes answers created before a time, except those in use. */
    async deleteOld(before: Date, inUse: readonly string[]): Promise<void> {
      const old = { made_at: { $lt: before } };
      await answers.deleteMany({ ...old, _id: { $nin: [...inUse] } });
      const kept = new Set(inUse);
      const stale = await pieces.find(old, { _id: 1 }).lean();
      const unused = stale.map(({ _id }) => _id).filter((id) => !kept.has(id.slice(0, id.lastIndexOf('/'))));
      for (let from = 0; from < unused.length; from += DELETE_BATCH_SIZE) {
        await pieces.deleteMany({ _id: { $in: unused.slice(from, from + DELETE_BATCH_SIZE) } });
      }
    },
  };
}

/** Splits the compressed body into pieces that fit a document. Reads ahead only as far as streams buffer. */
async function* piecesOf(parts: NewAnswer['parts']): AsyncIterable<Buffer> {
  const source = Readable.from(parts);
  const gzip = createGzip();
  source.on('error', (error) => gzip.destroy(error));
  let buffered: Buffer[] = [];
  let size = 0;
  for await (const chunk of source.pipe(gzip)) {
    if (!Buffer.isBuffer(chunk)) continue;
    buffered.push(chunk);
    size += chunk.length;
    if (size < ANSWER_PIECE_BYTES) continue;
    yield Buffer.concat(buffered);
    buffered = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(buffered);
}

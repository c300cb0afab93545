import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { ANSWER_PIECE_BYTES } from './limits.ts';
import type { AnswerStore } from './mongo/answer-store.ts';

/** An answer to be stored. */
export interface NewAnswer {
  readonly key: string;
  readonly mediaType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, in parts of any size. */
  readonly parts: Iterable<string> | AsyncIterable<string>;
}

/** A stored answer. */
export interface SoldAnswer {
  readonly mediaType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the compressed body. */
  readonly bytes: number;
  /** The body, compressed with gzip; read a piece at a time. */
  readonly body: () => AsyncIterable<Buffer>;
}

/** What was sold, or is about to be: immutable, compressed, and no matter how large. */
export interface Answers {
  /** The name of the newest answer of a key that was made since then (milliseconds since the epoch); null without one. */
  newest(key: string, since: number): Promise<string | null>;
  /** Stores an answer as it is made, and names it. */
  store(answer: NewAnswer): Promise<string>;
  /** Null when there is no such answer. */
  open(id: string): Promise<SoldAnswer | null>;
}

const ID_BYTES = 16;

export function createAnswers(store: AnswerStore, clock: () => number): Answers {
  return {
    newest: async (key, since) => (await store.newest(key, new Date(since)))?._id ?? null,

    async store({ key, mediaType, headers, parts }) {
      const id = randomBytes(ID_BYTES).toString('base64url');
      const madeAt = new Date(clock());
      let pieces = 0;
      let bytes = 0;
      for await (const piece of piecesOf(parts)) {
        await store.writePiece(id, pieces, piece, madeAt);
        pieces += 1;
        bytes += piece.length;
      }
      const document = { _id: id, key, made_at: madeAt, media_type: mediaType, headers: { ...headers }, pieces, bytes };
      await store.insert(document);
      return id;
    },

    async open(id) {
      const found = await store.find(id);
      if (found === null) return null;
      const { media_type: mediaType, headers, bytes, pieces } = found;
      async function* body(): AsyncIterable<Buffer> {
        for (let index = 0; index < pieces; index += 1) yield await store.readPiece(id, index);
      }
      return { mediaType, headers, bytes, body };
    },
  };
}

/** The compressed body in pieces that fit a document. Reads no further ahead than the streams buffer. */
async function* piecesOf(parts: NewAnswer['parts']): AsyncIterable<Buffer> {
  const source = Readable.from(parts);
  const gzip = createGzip();
  source.on('error', (error) => gzip.destroy(error));
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of source.pipe(gzip)) {
    if (!Buffer.isBuffer(chunk)) continue;
    held.push(chunk);
    size += chunk.length;
    if (size < ANSWER_PIECE_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(held);
}

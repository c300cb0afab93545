import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { ANSWER_PIECE_BYTES } from './limits.ts';
import type { AnswerStore } from './mongo/answer-store.ts';

export interface NewAnswer {
  readonly key: string;
  readonly mediaType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, in parts of any size. */
  readonly parts: Iterable<string> | AsyncIterable<string>;
}

export interface SoldAnswer {
  readonly mediaType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Size of the compressed body. */
  readonly bytes: number;
  /** The body, compressed with gzip; each piece is read on demand. */
  readonly body: () => AsyncIterable<Buffer>;
}

/** Stored responses of purchases: immutable, compressed, of any size. */
export interface Answers {
  /** Id of the newest answer of a key created since a time (milliseconds since the epoch); null without one. */
  newest(key: string, since: number): Promise<string | null>;
  /** Stores an answer while it is generated; returns its id. */
  store(answer: NewAnswer): Promise<string>;
  /** Null for an unknown answer. */
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

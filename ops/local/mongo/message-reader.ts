/** Bytes of a MongoDB wire message's header: length, request id, response id and operation, 4 each. */
export const HEADER_BYTES = 16;

/** Longest accepted message in bytes (`maxMessageSizeBytes` of the handshake) with room for its header. */
const MAX_MESSAGE_BYTES = 48_000_000 + 16_384;

/** Splits a byte stream into MongoDB wire messages, copying only messages that span several chunks. */
export class MessageReader {
  #chunks: Buffer[] = [];
  #buffered = 0;

  /** Whether an incomplete message is buffered. */
  get isPartial(): boolean {
    return this.#buffered > 0;
  }

  /** Yields every complete message. @throws Error when the bytes are not a message: close the connection. */
  *push(chunk: Buffer): Generator<Buffer> {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    while (this.#buffered >= 4) {
      const length = this.#front(4).readInt32LE(0);
      if (length < HEADER_BYTES || length > MAX_MESSAGE_BYTES) throw new Error(`a wire message of ${length} bytes`);
      if (this.#buffered < length) return;
      yield this.#take(length);
    }
  }

  /** The first chunk, joined with later ones if it is shorter than `bytes`. */
  #front(bytes: number): Buffer {
    const [first] = this.#chunks;
    if (first !== undefined && first.length >= bytes) return first;
    const joined = Buffer.concat(this.#chunks, this.#buffered);
    this.#chunks = [joined];
    return joined;
  }

  #take(bytes: number): Buffer {
    const front = this.#front(bytes);
    if (front.length > bytes) this.#chunks[0] = front.subarray(bytes);
    else this.#chunks.shift();
    this.#buffered -= bytes;
    return front.subarray(0, bytes);
  }
}

/** Bytes of a MongoDB wire message's header: length, request id, response id and operation, 4 each. */
export const HEADER_BYTES = 16;

/** The longest message a server takes, in bytes (`maxMessageSizeBytes` of its handshake), and room for its header. */
const MESSAGE_BYTES_MAX = 48_000_000 + 16_384;

/** Cuts a connection's bytes into MongoDB wire messages, copying only those that arrive in several chunks. */
export class MessageReader {
  #chunks: Buffer[] = [];
  #buffered = 0;

  /** Whether a part of a message is here that waits for its rest. */
  get isPartial(): boolean {
    return this.#buffered > 0;
  }

  /**
   * Takes the next bytes and yields every message that is whole by now.
   *
   * @throws Error when the bytes are no message: the connection is of no further use.
   */
  *push(chunk: Buffer): Generator<Buffer> {
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    while (this.#buffered >= 4) {
      const length = this.#front(4).readInt32LE(0);
      if (length < HEADER_BYTES || length > MESSAGE_BYTES_MAX) throw new Error(`a wire message of ${length} bytes`);
      if (this.#buffered < length) return;
      yield this.#take(length);
    }
  }

  /** The first chunk, made at least so long. */
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

import { once } from 'node:events';
import { createWriteStream, mkdirSync, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';

/** Writes one log file line by line and counts its bytes. */
export class LogWriter {
  bytes = 0;
  readonly #stream: WriteStream;

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true });
    this.#stream = createWriteStream(path);
  }

  /** Writes a record as one JSON line; waits while the disk is behind. */
  async line(record: object): Promise<void> {
    const text = `${JSON.stringify(record)}\n`;
    this.bytes += Buffer.byteLength(text);
    if (!this.#stream.write(text)) await once(this.#stream, 'drain');
  }

  async close(): Promise<void> {
    this.#stream.end();
    await once(this.#stream, 'close');
  }
}

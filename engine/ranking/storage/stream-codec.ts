import type { CounterSeries, Stream } from '../core/operator-state/index.ts';

// An operator's streams are one binary value, because the database is far slower with nested documents. Each stream is a
// header (epoch, byte lengths of the two names, number of steps), the names, the steps' hours and their counts,
// little-endian.

const HEADER_BYTES = 8;
const LEDGER_BYTES_AT = 2;
const PLATFORM_BYTES_AT = 3;
const STEPS_AT = 4;
const HOUR_BYTES = 4;
const COUNTS_BYTES = 4 * 8;

/** Packs streams in order. Throws a RangeError for a name of more than 255 bytes. */
export function encodeStreams(streams: readonly Stream[]): Uint8Array {
  const bytes = Buffer.allocUnsafe(streams.reduce((sum, stream) => sum + bytesOf(stream), 0));
  let at = 0;
  for (const { ledger, platform, epoch, series } of streams) {
    const ledgerBytes = bytes.write(ledger, at + HEADER_BYTES);
    const platformBytes = bytes.write(platform, at + HEADER_BYTES + ledgerBytes);
    bytes.writeUInt16LE(epoch, at);
    bytes.writeUInt8(ledgerBytes, at + LEDGER_BYTES_AT);
    bytes.writeUInt8(platformBytes, at + PLATFORM_BYTES_AT);
    bytes.writeUInt32LE(series.hours.length, at + STEPS_AT);
    at += HEADER_BYTES + ledgerBytes + platformBytes;
    bytes.set(bytesUnder(series.hours), at);
    bytes.set(bytesUnder(series.counts), at + series.hours.byteLength);
    at += series.hours.byteLength + series.counts.byteLength;
  }
  return bytes;
}

/** Unpacks streams in order. Throws when the bytes do not end with a complete stream. */
export function decodeStreams(packed: Uint8Array): Stream[] {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const streams: Stream[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + HEADER_BYTES > bytes.length) throw damaged(bytes);
    const ledgerEnd = at + HEADER_BYTES + bytes.readUInt8(at + LEDGER_BYTES_AT);
    const platformEnd = ledgerEnd + bytes.readUInt8(at + PLATFORM_BYTES_AT);
    const steps = bytes.readUInt32LE(at + STEPS_AT);
    const end = platformEnd + steps * (HOUR_BYTES + COUNTS_BYTES);
    if (end > bytes.length) throw damaged(bytes);
    streams.push({
      ledger: bytes.toString('utf8', at + HEADER_BYTES, ledgerEnd),
      platform: bytes.toString('utf8', ledgerEnd, platformEnd),
      epoch: bytes.readUInt16LE(at),
      series: seriesIn(bytes, platformEnd, steps),
    });
    at = end;
  }
  return streams;
}

/** Copies, because the database's reply is not aligned. */
function seriesIn(bytes: Buffer, start: number, steps: number): CounterSeries {
  const hours = new Uint32Array(steps);
  const counts = new Float64Array(steps * (COUNTS_BYTES / Float64Array.BYTES_PER_ELEMENT));
  const hoursEnd = start + hours.byteLength;
  bytes.copy(bytesUnder(hours), 0, start, hoursEnd);
  bytes.copy(bytesUnder(counts), 0, hoursEnd, hoursEnd + counts.byteLength);
  return { hours, counts };
}

function bytesOf({ ledger, platform, series }: Stream): number {
  const { hours, counts } = series;
  return HEADER_BYTES + Buffer.byteLength(ledger) + Buffer.byteLength(platform) + hours.byteLength + counts.byteLength;
}

function bytesUnder(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function damaged({ length }: Uint8Array): Error {
  return new Error(`${length} bytes of streams are damaged`);
}

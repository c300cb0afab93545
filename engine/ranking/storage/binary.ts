import { mongo } from 'mongoose';

/** Wraps bytes as BinData, without copying. */
export function toBinary(view: ArrayBufferView): mongo.Binary {
  return new mongo.Binary(Buffer.from(view.buffer, view.byteOffset, view.byteLength));
}

/** The bytes of BinData: an unaligned view into the reply. */
export function bytesOf(binary: mongo.Binary): Uint8Array {
  return binary.buffer.subarray(0, binary.position);
}

/** Copies packed little-endian doubles into a new Float64Array. */
export function doublesOf(binary: mongo.Binary): Float64Array {
  return new Float64Array(new Uint8Array(bytesOf(binary)).buffer);
}

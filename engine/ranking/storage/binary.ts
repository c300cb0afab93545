import { mongo } from 'mongoose';

/** Bytes as BinData, without copying. */
export function toBinary(view: ArrayBufferView): mongo.Binary {
  return new mongo.Binary(Buffer.from(view.buffer, view.byteOffset, view.byteLength));
}

/** The bytes of BinData: a view into the reply, not aligned to anything. */
export function bytesOf(binary: mongo.Binary): Uint8Array {
  return binary.buffer.subarray(0, binary.position);
}

/** A Float64Array of its own from packed little-endian doubles. */
export function doublesOf(binary: mongo.Binary): Float64Array {
  return new Float64Array(Uint8Array.from(bytesOf(binary)).buffer);
}

export const FLOAT64_BYTES = Float64Array.BYTES_PER_ELEMENT;
export const UINT32_BYTES = Uint32Array.BYTES_PER_ELEMENT;

// Stored parts are little-endian and are copied to and from memory unconverted, and sorting relies on the order of the
// words of a double. A big-endian host would silently corrupt boards, so loading this module fails there.
if (new Uint8Array(Uint16Array.of(1).buffer)[0] !== 1) throw new Error('boards require a little-endian host');

/** The bit patterns of doubles as two 32-bit words each, the low word first. Shares memory with `values`. */
export function wordsOf(values: Float64Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
}

/** Concatenates arrays into a new byte array, little-endian. */
export function concatBytes(arrays: ReadonlyArray<Float64Array | Uint32Array | Uint8Array>): Uint8Array {
  let length = 0;
  for (const array of arrays) length += array.byteLength;
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const array of arrays) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), offset);
    offset += array.byteLength;
  }
  return bytes;
}

/** Reads `length` doubles at `offset` into aligned memory: stored bytes may start at any address. */
export function readFloat64s(bytes: Uint8Array, offset: number, length: number): Float64Array {
  const values = new Float64Array(length);
  new Uint8Array(values.buffer).set(bytes.subarray(offset, offset + length * FLOAT64_BYTES));
  return values;
}

/** Reads `length` unsigned 32-bit integers at `offset` into aligned memory. */
export function readUint32s(bytes: Uint8Array, offset: number, length: number): Uint32Array {
  const values = new Uint32Array(length);
  new Uint8Array(values.buffer).set(bytes.subarray(offset, offset + length * UINT32_BYTES));
  return values;
}
